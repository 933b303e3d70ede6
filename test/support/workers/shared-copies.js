// Runs as one of two users of a folder: copies a file in it again and again, as the commands do, and counts the copies that
// have the content of a private file.
import { constants, mkdirSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const { modules, kind, file, copies, runs, uid, marker, sha256 } = JSON.parse(process.argv[2]);
const load = (module) => import(`${modules}/${module}.js`);
const { keepDamaged } = await load('core/keep-damaged');
const { BookCovers } = await load('download/extras/book-covers');
const { moveExtras } = await load('download/extras');
process.setgid(uid);
process.setuid(uid);

const folder = dirname(file);
const ignored = () => undefined;
const COPY = {
  'keep-damaged': () => keepDamaged(file),
  'move-extras': async (run) => {
    const newFolder = join(copies, String(run));
    mkdirSync(newFolder);
    const { signal } = new globalThis.AbortController();
    const left = { folder, newFolder, root: dirname(folder), title: undefined };
    await moveExtras(left, { signal }, { onMoved: ignored, warn: ignored });
    return join(newFolder, basename(file));
  },
  'book-covers': async () => {
    const copy = join(folder, 'book.jpg');
    rmSync(copy, { force: true });
    const covers = new BookCovers();
    covers.observe({ type: 'book-planned', file: join(folder, 'book.cbz'), volume: '1' });
    await covers.save({ get: () => ({ image: '', sha256, isOwn: true }), set: ignored });
    return copy;
  },
};

/** Undefined for a link, and for a file that is not there. */
function contentOf(copy) {
  try {
    const descriptor = openSync(copy, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(descriptor, 'latin1');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

let [copied, leaked] = [0, 0];
for (let run = 0; run < runs; run += 1) {
  const copy = await COPY[kind](run).catch(ignored);
  const content = copy === undefined ? undefined : contentOf(copy);
  if (content !== undefined) copied += 1;
  if (content?.includes(marker)) leaked += 1;
}
process.stdout.write(JSON.stringify({ copied, leaked }));
