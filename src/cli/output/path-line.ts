/** A line on standard output: a result, which may be the path of a file. */
import { linkedPath, supportsLinks } from './hyperlinks.js';
import { rawStream, safeText } from './safe-stream.js';

/** At a terminal that has links, the path is one. */
export function writePath(
  path: string,
  stream: NodeJS.WriteStream,
  env: Readonly<NodeJS.ProcessEnv>,
): void {
  if (supportsLinks(env, stream)) rawStream(stream).write(`${linkedPath(path)}\n`);
  else writeResult(path, stream);
}

/** A text that ends with NUL, as for `xargs -0`, gets no line feed. */
export function writeResult(text: string, stream: NodeJS.WriteStream): void {
  if (!text.includes('\0')) stream.write(`${text}\n`);
  else
    rawStream(stream).write(
      `${text.split('\0').map(safeText).join('\0')}${text.endsWith('\0') ? '' : '\n'}`,
    );
}
