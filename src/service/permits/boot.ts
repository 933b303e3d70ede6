/** The boot of the machine that this process runs in: monotonic times are comparable only within one boot. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256Of } from '../../core/sha256.js';

export interface Boot {
  /** All processes of one boot have the same. Where the system has no boot id, a reboot shows in the monotonic clock. */
  readonly id: string;
  /** For messages. */
  readonly host: string;
}

export function currentBoot(): Boot {
  const host = hostname();
  const id = linuxBootId() ?? host;
  return {
    id: sha256Of(id).slice(0, 12),
    host: host.replace(/[^\w.-]/g, '').slice(0, 64) || 'unnamed',
  };
}

/** Includes the time namespace: another one has the same boot id but another monotonic clock. */
function linuxBootId(): string | undefined {
  const id = readText('/proc/sys/kernel/random/boot_id');
  return id === undefined ? undefined : `${id} ${readText('/proc/self/timens_offsets') ?? ''}`;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/\s+/g, ' ').trim() || undefined;
  } catch {
    return undefined;
  }
}
