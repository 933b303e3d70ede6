/** Titles with volume and number, such as `Vol.1 Ch.2 - The Storm`, for readers that sort and name chapters by `Title`. */

interface NamedParts {
  readonly title?: string | undefined;
  readonly volume?: string | undefined;
  readonly number?: string | undefined;
}

/** Undefined if all parts are. */
export function numberedTitle({ title, volume, number }: NamedParts): string | undefined {
  const label = [
    ...(isPresent(volume) ? [`Vol.${volume}`] : []),
    ...(isPresent(number) ? [`Ch.${number}`] : []),
  ].join(' ');
  const parts = [label, title].filter(isPresent);
  return parts.length === 0 ? undefined : parts.join(' - ');
}

const NUMBERED = /^(?:Vol\.\S+ Ch\.\S+|Vol\.\S+|Ch\.\S+)(?: - (?<title>.+))?$/su;

/** The title without the volume and number that numberedTitle puts before it; other titles stay. */
export function plainTitle(title: string | undefined): string | undefined {
  const match = title === undefined ? undefined : NUMBERED.exec(title);
  return match ? match.groups?.['title'] : title;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
