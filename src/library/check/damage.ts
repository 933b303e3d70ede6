/** What can be wrong with a file. */
import type { FileMark } from '../mark.js';
import type { GetBuffer } from '../../core/zip-file.js';
import type { DamageReason } from '../../events/reasons.js';
import type { FileContent } from '../read/content.js';

export interface Damage {
  readonly reason: DamageReason;
  /** What is wrong where, such as `003.png: its checksum is wrong`. */
  readonly detail: string;
}

/** What is there in a whole file whose pages are not those of its record: its owner or another program changed them. */
export interface PageEdits {
  /** How many pages it has. */
  readonly pages: number;
  /** What is different, such as `1 of 12 saved pages is missing`. */
  readonly detail: string;
}

/** Thrown by the check of a container. */
export class Damaged extends Error {
  constructor(readonly damage: Damage) {
    super(damage.detail);
  }
}

export function damaged(reason: DamageReason, detail: string): Damaged {
  return new Damaged({ reason, detail });
}

export interface CheckOptions {
  /** Ends the reading between two pages. */
  readonly signal: AbortSignal;
  /** Called with what a file with the mark of tankobon names. */
  readonly onMark: (mark: FileMark) => void;
  /** Called with what stands in an archive that is not damaged, if that says whose it is. */
  readonly onContent: (content: FileContent) => void;
  /** One for all files of a run: a new one for each file takes longer than a small file. */
  readonly getBuffer: GetBuffer;
  /** The file is known to be one, and not a link, a pipe, a socket or a device. */
  readonly isRegular?: boolean | undefined;
}

/** Reads the whole file once. Throws Damaged, or what prevents that it is read. */
export type CheckFile = (path: string, options: CheckOptions) => Promise<PageEdits | undefined>;
