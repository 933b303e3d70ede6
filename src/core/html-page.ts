import type { Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError, thrownMessage } from './errors.js';
import { isSystemError, makeFolders, openRegularFile, writeFileAtomic } from './files.js';
import { checkOutputFile } from './output-folder.js';

/** The start of every page, also of earlier versions: only files with it are replaced. */
const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';`;

/**
 * A page without scripts or external resources, whose images are in it. The title and the body are HTML.
 */
export function htmlPage(title: string, style: string, body: string): string {
  return `${HEAD} style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** The name of a file that stands for standard output. */
export const STANDARD_OUTPUT = '-';

/** Writes the page to a file as checkPage allows it, or to standard output. Throws UsageError `bad-output`. */
export async function writeHtmlPage(
  file: string,
  page: string,
  stdout: NodeJS.WriteStream,
): Promise<void> {
  if (file === STANDARD_OUTPUT) {
    stdout.write(page);
    return;
  }
  const path = resolve(file);
  const replaced = await checkFile(path);
  await writeFileAtomic(path, page, { replaced }).catch(cannotWrite);
}

/**
 * Checks a page that is written later. Throws UsageError: `bad-output` for anything but a missing file, an empty one and
 * a page of tankobon; `bad-option` if standard output is for JSON.
 */
export async function checkPage(file: string, json = false): Promise<void> {
  if (file !== STANDARD_OUTPUT) {
    await checkFile(resolve(file));
  } else if (json) {
    throw new UsageError('bad-option', '--json and --html - both write to standard output.', {
      hint: 'Name a file: --html FILE',
    });
  }
}

/** The same, and creates the folder of the page. */
export async function preparePage(file: string, json?: boolean): Promise<void> {
  await checkPage(file, json);
  if (file === STANDARD_OUTPUT) return;
  try {
    makeFolders(dirname(resolve(file)));
  } catch (cause) {
    cannotWrite(cause);
  }
}

/** Resolves with the state of the file that is there. */
async function checkFile(path: string): Promise<Stats | undefined> {
  await checkOutputFile(path, '--html');
  const handle = await openRegularFile(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    return cannotWrite(error);
  });
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD.length), 0, HEAD.length, 0);
    if (bytesRead === 0 || buffer.toString('utf8', 0, bytesRead) === HEAD) return stats;
  } finally {
    await handle.close();
  }
  throw new UsageError('bad-output', `${path} was not written by tankobon.`, {
    path,
    hint: 'Choose another file: --html FILE',
  });
}

function cannotWrite(cause: unknown): never {
  const reason = thrownMessage(cause);
  throw new UsageError('bad-output', `The page cannot be written: ${reason}`, {
    cause,
    hint: 'Choose a file in a folder that you can write to: --html FILE',
  });
}
