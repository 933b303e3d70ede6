/** Changes archives as their owners do with other programs: one entry is edited, all others and the comment stay. */
import { readArchive, readComment, writeArchive } from './archive.js';

/** `change` gets undefined for an entry that is missing, and removes one by returning undefined. */
export async function editEntry(
  file: string,
  name: string,
  change: (text: string | undefined) => string | undefined,
): Promise<void> {
  const entries = await readArchive(file);
  const contents = new Map<string, Buffer | string>(
    entries.map((entry) => [entry.name, entry.bytes]),
  );
  const changed = change(contents.get(name)?.toString());
  if (changed === undefined) contents.delete(name);
  else contents.set(name, changed);
  await writeArchive(file, Object.fromEntries(contents), await readComment(file));
}

/** Throws if the text is not there: an edit that does nothing tests nothing. */
export function replaced(text: string | undefined, ...edits: readonly [string | RegExp, string][]) {
  return edits.reduce((result, [from, to]) => {
    const next = result.replace(from, to);
    if (next === result) throw new Error(`${String(from)} is not in ${result}`);
    return next;
  }, text ?? '');
}

/** Adds an element, or several, at the end of ComicInfo.xml. */
export async function addElement(file: string, xml: string): Promise<void> {
  await editEntry(file, 'ComicInfo.xml', (text) =>
    replaced(text, ['</ComicInfo>', `${xml}</ComicInfo>`]),
  );
}
