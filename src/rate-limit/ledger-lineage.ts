/**
 * What one process knows of the ledger that it has used, so that it notices when that is gone: deleted, replaced by
 * another, restored from a copy, or overwritten by a machine that does not see our lock. Pure.
 */
import type { BootRecord, LedgerRecord } from './ledger-record.js';

interface Seen {
  readonly id: string;
  readonly revision: number;
  /** What our own boot had written last. */
  readonly ownRevision: number;
}

export class LedgerLineage {
  #seen: Seen | undefined;
  readonly #warned = new Set<string>();

  /** Keeps in mind the ledger as this process left it. */
  note(record: LedgerRecord, boot: string): void {
    const { id, revision } = record;
    this.#seen = { id, revision, ownRevision: revisionOf(record, boot) };
  }

  /** What has happened to the ledger, as a part of a sentence; undefined where it is the one that was left. */
  troubleWith(record: LedgerRecord | undefined, boot: string): string | undefined {
    const seen = this.#seen;
    if (!seen) return undefined;
    if (!record) return 'has vanished';
    const isSame =
      record.id === seen.id &&
      record.revision >= seen.revision &&
      revisionOf(record, boot) >= seen.ownRevision;
    return isSame ? undefined : 'was replaced by another or an older one';
  }

  /** Another boot that has written since this process looked. */
  livingNeighbour(record: LedgerRecord, boot: string): BootRecord | undefined {
    const seen = this.#seen;
    if (seen?.id !== record.id) return undefined;
    return record.boots.find((of) => of.boot !== boot && of.revision > seen.revision);
  }

  warnOnce(what: 'lost' | 'neighbour', warn: () => void): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    warn();
  }
}

function revisionOf({ boots }: LedgerRecord, boot: string): number {
  return boots.find((of) => of.boot === boot)?.revision ?? 0;
}
