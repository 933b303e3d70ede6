/** The Compose files of the documentation, read by Compose itself: no engine for containers is needed for that. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { recipeDocuments } from '../support/recipes.js';
import { describeWith } from '../support/requirements.js';

interface ComposeFile {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-compose-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the file as Compose understands it, in a folder with `compose.yaml`. */
async function config(env: Readonly<Record<string, string>> = {}): Promise<ComposeFile> {
  const { stdout } = await promisify(execFile)('docker-compose', ['config'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  return parse(stdout) as ComposeFile;
}

/** The blocks of a document that are Compose files. */
function composeBlocks(document: string): string[] {
  const blocks = readFileSync(document, 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, text = '']) => text).filter((text) => /^services:$/m.test(text));
}

const BLOCKS = recipeDocuments().flatMap((document) =>
  composeBlocks(document).map((text) => [document, text] as const),
);

describeWith('Compose', { programs: ['docker-compose'] }, () => {
  test('runs the image as the owner, read-only and without rights', async () => {
    cpSync('docs/docker', folder, { recursive: true });
    // The recipe writes these lines.
    writeFileSync(join(folder, '.env'), 'UID=1234\nGID=5678\n');
    const { services } = await config();
    const common = {
      image: 'tankobon',
      user: '1234:5678',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['state:/state:rw', `${join(folder, 'comics')}:/comics:rw`],
    };
    expect(services).toMatchObject({
      tankobon: { ...common, profiles: ['once'] },
      sync: { ...common, command: ['sync', '--every', '6h'], restart: 'unless-stopped' },
    });
  });

  test('the documents have some', () => {
    expect(BLOCKS.map(([document]) => document)).toEqual(['docs/ledger.md', 'docs/sync.md']);
  });

  test.each(BLOCKS)(
    'accepts the file in %s, whose commands tankobon has',
    async (_document, text) => {
      writeFileSync(join(folder, 'compose.yaml'), text);
      const { services } = await config({ LEDGER_PASSWORD: 'x' });
      expect(String(services['tankobon']?.['command'])).toMatch(
        /^npx (--yes )?tankobon (download|sync) /,
      );
    },
  );
});
