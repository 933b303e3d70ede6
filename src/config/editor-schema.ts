/** The JSON Schemas in the package, which a new file names so that editors complete and check its keys. */
const FILES = {
  settings: 'settings.schema.json',
  subscriptions: 'subscriptions.schema.json',
} as const;

export function schemaUrl(name: keyof typeof FILES): string {
  return new URL(`../../schemas/${FILES[name]}`, import.meta.url).href;
}

/** The schema that a file should name: none if it never did or names another one, since the package may have moved. */
export function currentSchema(
  name: keyof typeof FILES,
  { isNew, named }: { readonly isNew: boolean; readonly named: unknown },
): string | undefined {
  const isOwn = typeof named === 'string' && named.endsWith(`/tankobon/schemas/${FILES[name]}`);
  return isNew || isOwn ? schemaUrl(name) : undefined;
}
