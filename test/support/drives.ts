/** Real drives of other file systems, in an image file: without links, and without regard to case. Need root and FUSE. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { describeWith } from './requirements.js';

const IMAGE_BYTES = 64 * 1024 * 1024;

/** The drives have 64 MB. */
export const SMALL_DRIVE = { TANKOBON_MIN_FREE: 'false' };

export interface Drive {
  readonly needs: Parameters<typeof describeWith>[1];
  /** All files are shown as writable for everybody. */
  readonly hasNoModes: boolean;
  readonly format: (image: string) => void;
  /** Returns what undoes it. */
  readonly mount: (image: string, drive: string) => () => void;
}

const run = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

export const DRIVES: Readonly<Record<string, Drive>> = {
  FAT: {
    needs: { programs: ['fusefat', 'mkfs.vfat'], root: true, fuse: true },
    hasNoModes: false,
    format: (image) => run('mkfs.vfat', image),
    mount(image, drive) {
      run('fusefat', '-o', 'rw+', image, drive);
      return () => run('umount', drive);
    },
  },
  exFAT: {
    needs: {
      programs: ['mount.exfat-fuse', 'mkfs.exfat', 'losetup'],
      loopDevice: true,
      root: true,
      fuse: true,
    },
    hasNoModes: true,
    format: (image) => run('mkfs.exfat', image),
    mount(image, drive) {
      const device = run('losetup', '--find', '--show', image).trim();
      const detach = () => run('losetup', '--detach', device);
      try {
        run('mount.exfat-fuse', device, drive);
      } catch (error) {
        detach();
        throw error;
      }
      return () => {
        run('umount', drive);
        detach();
      };
    },
  },
};

/** Mounts a new drive as the folder `drive` in `folder`; returns what undoes it. */
export function mountDrive({ format, mount }: Drive, folder: string): () => void {
  const image = join(folder, 'image');
  writeFileSync(image, '');
  truncateSync(image, IMAGE_BYTES);
  format(image);
  const drive = join(folder, 'drive');
  mkdirSync(drive);
  return mount(image, drive);
}

const MAX_WAIT_MS = 20_000;

export const SPECIAL_NEEDS = {
  programs: ['/usr/bin/python3'],
  pythonModules: ['fuse'],
  root: true,
  fuse: true,
} as const;

/**
 * Mounts a folder with other rules for names as `drive` in `folder`; the options are those of special-file-system.py.
 * Resolves with what undoes it.
 */
export async function mountSpecial(
  folder: string,
  options: readonly string[],
): Promise<() => void> {
  const [backing, drive] = [join(folder, 'backing'), join(folder, 'drive')];
  for (const each of [backing, drive]) mkdirSync(each);
  const server = spawn(
    '/usr/bin/python3',
    [resolve('test/support/special-file-system.py'), backing, drive, ...options],
    {
      stdio: 'ignore',
    },
  );
  // A virtual clock waits for processes that are referenced.
  server.unref();
  const isMounted = () => readFileSync('/proc/mounts', 'utf8').includes(` ${drive} fuse`);
  for (let waitedMs = 0; !isMounted(); waitedMs += 50) {
    if (server.exitCode !== null || waitedMs > MAX_WAIT_MS) throw new Error('not mounted');
    await sleep(50);
  }
  return () => run('umount', drive);
}
