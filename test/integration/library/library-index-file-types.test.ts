import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCbz } from '../../../src/library/cbz-writer.js';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';
import { posixTest } from '../../support/platform.js';

posixTest(
  'files that are not regular are listed as damaged and do not block the scan',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-kinds-'));
    const page = join(folder, 'page.png');
    writeFileSync(page, SAMPLE_IMAGES.png);
    const chapterId = '00000000-0000-4000-8000-000000000001';
    await writeCbz({
      file: join(folder, 'elsewhere', 'a.bin'),
      pages: [{ file: page, bytes: SAMPLE_IMAGES.png.length }],
      comment: formatIdentityComment({ chapterId }),
    });
    const server = createServer();
    await new Promise<void>((listening) => server.listen(join(folder, 'socket.cbz'), listening));
    try {
      execFileSync('mkfifo', [join(folder, 'pipe.cbz')]);
      symlinkSync(join(folder, 'pipe.cbz'), join(folder, 'to-pipe.cbz'));
      symlinkSync('/dev/zero', join(folder, 'to-zero.cbz'));
      symlinkSync(join(folder, 'elsewhere', 'a.bin'), join(folder, 'to-archive.cbz'));
      const library = await scanLibrary(folder);
      expect(library.damaged).toMatchObject(
        ['pipe', 'socket', 'to-pipe', 'to-zero'].map((name) => ({
          file: join(folder, `${name}.cbz`),
          readError: 'it is not a regular file',
        })),
      );
      expect(library.find(chapterId)?.file).toBe(join(folder, 'to-archive.cbz'));
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  },
);
