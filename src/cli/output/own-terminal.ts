/** The terminals that streams end at. */
import { fstatSync, type Stats } from 'node:fs';

type Stream = Pick<NodeJS.WriteStream, 'isTTY'> & { readonly fd?: number };

/** The width of a terminal; undefined for another stream, and for a terminal that does not say it. */
export function columnsOf({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | undefined {
  return columns || undefined;
}

export function isSameTerminal(one: Stream, other: Stream): boolean {
  const [first, second] = [statOf(one), statOf(other)];
  return one.isTTY && other.isTTY && first?.rdev === second?.rdev && first?.dev === second?.dev;
}

/**
 * Whether messages have a terminal to themselves, because results go to a file or another terminal. A pipe may end at
 * the same terminal, as after `tankobon … | cat`.
 */
export function hasOwnTerminal(messages: Stream, results: Stream): boolean {
  if (!messages.isTTY || isSameTerminal(messages, results)) return false;
  const stats = statOf(results);
  return stats !== undefined && !stats.isFIFO() && !stats.isSocket();
}

function statOf({ fd }: Stream): Stats | undefined {
  try {
    return fd === undefined ? undefined : fstatSync(fd);
  } catch {
    return undefined;
  }
}
