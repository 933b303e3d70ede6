/** A line that is the path of a file. */
import { linkedPath, supportsLinks } from './hyperlinks.js';
import { rawStream } from './safe-stream.js';

/** At a terminal that has links, the path is one. */
export function writePath(
  path: string,
  stream: NodeJS.WriteStream,
  env: Readonly<NodeJS.ProcessEnv>,
): void {
  if (supportsLinks(env, stream)) rawStream(stream).write(`${linkedPath(path)}\n`);
  else stream.write(`${path}\n`);
}
