import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError, thrownMessage } from '../../core/errors.js';
import { makeFolders, writeFileAtomic } from '../../core/files.js';

/** A page without scripts or external resources. The title and the body are HTML. */
export function htmlPage(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
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

/** Throws UsageError `bad-output`. */
export async function writeHtmlPage(file: string, page: string): Promise<void> {
  await writeFileAtomic(resolve(file), page).catch(cannotWrite);
}

/** Creates the folder of a page that is written later. Throws UsageError `bad-output`. */
export function preparePage(file: string): void {
  const path = resolve(file);
  try {
    makeFolders(dirname(path));
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`it is a folder: ${path}`);
  } catch (cause) {
    cannotWrite(cause);
  }
}

function cannotWrite(cause: unknown): never {
  const reason = thrownMessage(cause);
  throw new UsageError('bad-output', `The page cannot be written: ${reason}`, {
    cause,
    hint: 'Choose a file in a folder that you can write to: --html FILE',
  });
}
