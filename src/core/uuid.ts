/** The source of a regular expression that matches a UUID in lower-case letters. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isSameUuid(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
