/** File systems without locks: the system's answer to a lock is replaced by a small library that is preloaded. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../cli/command.js';

const C_SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
static int answer(const char *name, int fd, int command, void *argument) {
  if (command == F_OFD_SETLK) { errno = atoi(getenv("LOCK_ERRNO")); return -1; }
  int (*real)(int, int, void *) = dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}
#define WRAP(name) int name(int fd, int command, ...) { va_list rest; va_start(rest, command); \\
  void *argument = va_arg(rest, void *); va_end(rest); return answer(#name, fd, command, argument); }
WRAP(fcntl)
WRAP(fcntl64)
`;

const hasCompiler =
  process.platform === 'linux' && spawnSync('cc', ['--version']).error === undefined;
let folder: string;
let library: string;
beforeAll(() => {
  if (!hasCompiler) return;
  folder = mkdtempSync(join(tmpdir(), 'tankobon-no-locks-'));
  library = join(folder, 'no-locks.so');
  writeFileSync(join(folder, 'no-locks.c'), C_SOURCE);
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(folder, 'no-locks.c'), '-ldl']);
});
afterAll(() => {
  if (hasCompiler) rmSync(folder, { recursive: true, force: true });
});

const ERRNO = { ENOLCK: 37, EINVAL: 22, ENOTSUP: 95, ENOSYS: 38 };
const cases = Object.entries(ERRNO);

if (hasCompiler) {
  test.each(cases)('%s is reported as a file system that cannot lock', (name, errno) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        PROGRAM,
        'download',
        'a96676e5-8ae2-425e-b549-7f15dd34a6d8',
        '--json',
        '-o',
        join(folder, 'out'),
      ],
      {
        env: {
          PATH: process.env['PATH'],
          LD_PRELOAD: library,
          LOCK_ERRNO: String(errno),
          TANKOBON_HOME: join(folder, 'home'),
          TANKOBON_API_URL: 'http://127.0.0.1:9',
          TANKOBON_AUTH_URL: 'http://127.0.0.1:9',
          TANKOBON_NETWORK_URL: 'http://127.0.0.1:9',
        },
        encoding: 'utf8',
      },
    );
    const failure = stdout.split('\n').find((line) => line.includes('chapter-failed')) ?? '{}';
    expect(status).toBe(3);
    expect(JSON.parse(failure)).toMatchObject({ reason: 'cannot-lock' });
    expect(stderr).toContain(`cannot lock files (${name})`);
    expect(stderr).toContain('TANKOBON_LEDGER');
    expect(stderr).not.toContain('Unknown system error');
  });
} else {
  test('skipped: needs Linux and a C compiler (cc) to stand in for a file system without locks', () => {
    expect(hasCompiler).toBe(false);
  });
}
