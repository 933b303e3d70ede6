import { pathToFileURL } from 'node:url';
import { extractedFile, isExecutable } from '../core/executable.js';

/** The JSON Schemas in the package, which a new file names so that editors complete and check its keys. */
const FILES = {
  settings: 'settings.schema.json',
  subscriptions: 'subscriptions.schema.json',
} as const;

function schemaUrl(name: keyof typeof FILES): string | undefined {
  if (!isExecutable) return new URL(`../../schemas/${FILES[name]}`, import.meta.url).href;
  try {
    return pathToFileURL(extractedFile(FILES[name])).href;
  } catch {
    // The file works without a schema.
    return undefined;
  }
}

/** Where the package has them, and the executable (core/extracted-file.ts). */
const OWN_FOLDER = /\/(tankobon\/schemas|executable\/[0-9a-f]{64})\/[^/]+$/;

/**
 * The schema that a file should name, since the program may have moved: none if it never did or names another one, or if
 * the executable cannot write its own.
 */
export function currentSchema(
  name: keyof typeof FILES,
  { isNew, named }: { readonly isNew: boolean; readonly named: unknown },
): string | undefined {
  const isOwn =
    typeof named === 'string' && OWN_FOLDER.test(named) && named.endsWith(`/${FILES[name]}`);
  return isNew || isOwn ? schemaUrl(name) : undefined;
}
