/**
 * Temporary files beside the file that they become. Their names contain this machine and process, so that a later
 * process can distinguish those of a killed one from those in use.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { truncate } from './path-segment.js';
import { isSystemError } from './system-errors.js';
import { sha256Of } from './sha256.js';

/** An older file of a process is a leftover. By the clock of the machine that wrote it, which may be wrong by hours. */
const MIN_LEFTOVER_AGE_MS = 2 * 24 * 60 * 60_000;
const NAME = /^\.(.*)\.([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{12}\.tmp$/s;
/** With what is added to it, the name fits on each file system. */
const MAX_NAME_BYTES = 60;

let ownMachine: string | undefined;

/** Found on first use: help and the like have none. */
function ownMachineMark(): string {
  return (ownMachine ??= machineMark(hostname(), machineId(), processNamespace()));
}

/** Two machines of one name may share a folder: neither can see whether a process of the other one runs. */
export function machineMark(...identity: readonly string[]): string {
  return sha256Of(identity.join(' ')).slice(0, 8);
}

/** Stays over a restart (machine-id(5)); without it, the id of this start of the kernel. Empty on other systems. */
function machineId(): string {
  for (const file of ['/etc/machine-id', '/proc/sys/kernel/random/boot_id']) {
    try {
      const id = readFileSync(file, 'latin1').slice(0, 64).trim();
      if (id !== '') return id;
    } catch {
      // The next one.
    }
  }
  return '';
}

/** A sandbox or container of this machine sees only its own processes. Empty where there are no such namespaces. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** A hidden name in the same folder as `file`, so that the rename is atomic. */
export function temporaryName(file: string): string {
  const mark = `${ownMachineMark()}-${process.pid}-${randomBytes(6).toString('hex')}`;
  return join(dirname(file), `.${truncate(basename(file), MAX_NAME_BYTES)}.${mark}.tmp`);
}

/**
 * Whether `path` is a temporary file that no process writes any more: its process was one of this machine and has ended,
 * or it is old, as those of containers, which are a machine each.
 */
export function isLeftoverTemporary(path: string): boolean {
  const [, , host, pid] = NAME.exec(basename(path)) ?? [];
  if (pid === undefined) return false;
  if (host === ownMachineMark() && !isRunning(Number(pid))) return true;
  const { mtimeMs = Infinity } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs >= MIN_LEFTOVER_AGE_MS;
}

/** The names of the locks that exist only while they are held; see underTemporaryLock. */
const LOCK_NAME = /^\.(tankobon(-repair)?|.+\.[0-9a-f]{12})\.lock$/s;

/** Whether `path` has the name of such a lock. */
export function isTemporaryLock(path: string): boolean {
  return LOCK_NAME.test(basename(path));
}

/** Whether `path` has the name of a temporary file, of any process. */
export function isTemporary(path: string): boolean {
  return NAME.test(basename(path));
}

/** Whether `path` has the name of a temporary file of `file`, of any process. The name of `file` must not be longer than 60 bytes. */
export function isTemporaryOf(file: string, path: string): boolean {
  return NAME.exec(basename(path))?.[1] === truncate(basename(file), MAX_NAME_BYTES);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isSystemError(error, 'ESRCH');
  }
}
