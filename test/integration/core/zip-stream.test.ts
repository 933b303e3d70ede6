/** The archiver's output reaches the file, however little the system writes at once. */
import { ZipArchive } from 'archiver';
import { mkdtemp, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipStream } from '../../../src/core/zip/zip-stream.js';

const PAGES = [Buffer.alloc(5_000, 'a'), Buffer.alloc(30, 'b'), Buffer.alloc(70_000, 'c')];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankobon-sink-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Writes PAGES from one buffer; `meddle` may change the file's handle first. */
async function written(name: string, meddle: (handle: FileHandle) => void): Promise<Buffer> {
  const file = join(folder, name);
  const handle = await open(file, 'wx');
  meddle(handle);
  const archive = new ZipArchive({ store: true });
  const sink = new ZipStream(archive, handle, undefined);
  try {
    const buffer = Buffer.allocUnsafeSlow(100_000);
    for (const [index, page] of PAGES.entries()) {
      page.copy(buffer);
      const data = buffer.subarray(0, page.length);
      archive.append(data, { name: `${index}`, date: new Date(0) });
      await sink.drain(data);
    }
    await Promise.all([archive.finalize(), sink.drain()]);
    await sink.sync();
  } finally {
    archive.destroy();
    await handle.close();
  }
  return readFile(file);
}

test('complete and partial writes produce the same file', async () => {
  const whole = await written('whole', () => undefined);
  const inBits = await written('in-bits', (handle) => {
    handle.writev = async (pieces) => {
      const first = Buffer.from((pieces[0] as Buffer).subarray(0, 777));
      return { ...(await handle.write(first)), buffers: pieces };
    };
  });
  expect(inBits.equals(whole)).toBe(true);
  let at = 0;
  for (const page of PAGES) {
    at = whole.indexOf(page, at);
    expect(at).toBeGreaterThan(0);
  }
});

test('an error of an early sync is thrown at the end', async () => {
  const refused = Object.assign(new Error('i/o error'), { code: 'EIO' });
  const many = 20;
  const file = join(folder, 'refused');
  const handle = await open(file, 'wx');
  handle.datasync = () => Promise.reject(refused);
  const archive = new ZipArchive({ store: true });
  const sink = new ZipStream(archive, handle, undefined);
  try {
    for (let page = 0; page < many; page += 1) {
      const data = Buffer.allocUnsafeSlow(2 ** 20);
      archive.append(data, { name: `${page}` });
      await sink.drain(data);
    }
    await Promise.all([archive.finalize(), sink.drain()]);
    await expect(sink.sync()).rejects.toBe(refused);
  } finally {
    archive.destroy();
    await handle.close();
  }
});
