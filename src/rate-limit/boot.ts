/** The boot of the machine that this process runs in: monotonic times are comparable only within one boot. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

export interface Boot {
  /** The same for all processes of one boot, and for no others. */
  readonly id: string;
  /** For messages. */
  readonly host: string;
}

/** Where the platform has no boot id, the time of the boot is used; it is accurate to a few seconds. */
const BOOT_TIME_RESOLUTION_MS = 10_000;

export function currentBoot(): Boot {
  const host = hostname();
  return {
    id: digest(linuxBootId() ?? `${host} ${bootTime()}`),
    host: host.replace(/[^\w.-]/g, '').slice(0, 64) || 'unnamed',
  };
}

/** A boot for this process alone: its machine was copied while running, together with the boot id. */
export function uniqueBoot({ host }: Boot, random: string): Boot {
  return { id: digest(random), host };
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

/** Processes with different results count as different boots: they wait longer, but exceed no limit. */
function bootTime(): number {
  return Math.round((Date.now() - uptime() * 1_000) / BOOT_TIME_RESOLUTION_MS);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
