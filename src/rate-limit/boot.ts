/**
 * Which boot of which machine this process runs in. Monotonic times may be compared within one boot, and nowhere else.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

export interface Boot {
  /** The same for all processes of one boot, and for no others. */
  readonly id: string;
  /** For messages. */
  readonly host: string;
}

/** Where the platform has no id of its own, the time of the boot stands for it; it is known to some seconds. */
const BOOT_TIME_STEP_MS = 10_000;

export function thisBoot(): Boot {
  const host = hostname();
  return {
    id: digest(linuxBoot() ?? `${host} ${bootTime()}`),
    host: host.replace(/[^\w.-]/g, '').slice(0, 64) || 'unnamed',
  };
}

/** Makes a boot of its own of a process whose machine was copied while it ran, boot id and all. */
export function ownBoot({ host }: Boot, random: string): Boot {
  return { id: digest(random), host };
}

/** Processes in another time namespace have the same boot id and another monotonic clock. */
function linuxBoot(): string | undefined {
  const id = textOf('/proc/sys/kernel/random/boot_id');
  return id === undefined ? undefined : `${id} ${textOf('/proc/self/timens_offsets') ?? ''}`;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/\s+/g, ' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Processes that get different results count as of different boots; that costs waiting, and breaks no limit. */
function bootTime(): number {
  return Math.round((Date.now() - uptime() * 1_000) / BOOT_TIME_STEP_MS);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
