/** File systems that can do less: a preloaded library answers in their place. Needs Linux. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../src/practice-server/library/library.js';
import { MODULES_URL } from '../support/build-folders.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';

/**
 * Locks fail with LOCK_ERRNO, the sync of a folder with SYNC_ERRNO, hard links with LINK_ERRNO, and changes of modes and
 * owners with MODE_ERRNO, where these are set.
 */
const C_SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static int fails(const char *variable) {
  const char *number = getenv(variable);
  if (number) errno = atoi(number);
  return number != NULL;
}
static int answer(const char *name, int fd, int command, void *argument) {
  if (command == F_OFD_SETLK && fails("LOCK_ERRNO")) return -1;
  int (*real)(int, int, void *) = dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}
#define WRAP(name) int name(int fd, int command, ...) { va_list rest; va_start(rest, command); \\
  void *argument = va_arg(rest, void *); va_end(rest); return answer(#name, fd, command, argument); }
WRAP(fcntl)
WRAP(fcntl64)
int fsync(int fd) {
  struct stat stats;
  if (!fstat(fd, &stats) && S_ISDIR(stats.st_mode) && fails("SYNC_ERRNO")) return -1;
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  return real(fd);
}
int link(const char *from, const char *to) {
  if (fails("LINK_ERRNO")) return -1;
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "link");
  return real(from, to);
}
int fchmod(int fd, mode_t mode) {
  if (fails("MODE_ERRNO")) return -1;
  int (*real)(int, mode_t) = dlsym(RTLD_NEXT, "fchmod");
  return real(fd, mode);
}
int fchown(int fd, uid_t owner, gid_t group) {
  if (fails("MODE_ERRNO")) return -1;
  int (*real)(int, uid_t, gid_t) = dlsym(RTLD_NEXT, "fchown");
  return real(fd, owner, group);
}
`;

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0091';
let service: PracticeService;
let tools: string;
let folder: string;

/** Runs the program with the library that fails in this way. */
async function runWith(failure: Readonly<Record<string, string>>, ...words: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: {
      PATH: process.env['PATH'],
      ...service.environment,
      TANKOBON_HOME: join(folder, 'home'),
      // One ledger for all, as the limits are those of one service.
      TANKOBON_LEDGER: join(tools, 'ledger'),
      LD_PRELOAD: join(tools, 'lesser.so'),
      ...failure,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += String(data)));
  child.stderr.on('data', (data) => (stderr += String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  const failed = stdout.split('\n').find((line) => line.includes('chapter-failed')) ?? '{}';
  return { code, stderr, failed: JSON.parse(failed) as unknown };
}

describeWith('a file system', { programs: ['cc'], linux: true }, () => {
  beforeAll(async () => {
    tools = mkdtempSync(join(tmpdir(), 'tankobon-lesser-'));
    const source = join(tools, 'lesser.c');
    writeFileSync(source, C_SOURCE);
    execFileSync('cc', ['-shared', '-fPIC', '-o', join(tools, 'lesser.so'), source, '-ldl']);
    const chapter = generateChapter({ id: ID, pages: 3, bytesPerPage: 60_000 });
    service = await startPracticeService({ chapters: [chapter], specificationOnly: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tools, 'run-'));
  });
  afterAll(async () => {
    await service.stop();
    rmSync(tools, { recursive: true, force: true });
  });

  const { EACCES, EPERM, ENOLCK, EINVAL, ENOTSUP, ENOSYS } = constants.errno;

  describe('without locks', () => {
    test.each(Object.entries({ ENOLCK, EINVAL, ENOTSUP, ENOSYS }))(
      '%s is reported as a file system that cannot lock',
      async (name, errno) => {
        const failure = { LOCK_ERRNO: String(errno) };
        const words = ['download', ID, '--json', '-o', join(folder, 'output')];
        const { code, stderr, failed } = await runWith(failure, ...words);
        expect(code).toBe(3);
        expect(failed).toMatchObject({
          reason: 'cannot-lock',
          message: expect.stringContaining(`cannot lock files (${name})`),
        });
        expect(stderr).toContain('TANKOBON_LEDGER');
      },
    );
  });

  describe('without hard links and modes', () => {
    test.each(Object.entries({ EPERM, EACCES, EINVAL, ENOTSUP, ENOSYS }))(
      '%s: a damaged file is copied, and repaired',
      async (_, errno) => {
        const output = join(folder, 'output');
        const failure = { LINK_ERRNO: String(errno), MODE_ERRNO: String(errno) };
        expect(await runWith(failure, 'download', ID, '-o', output)).toMatchObject({ code: 0 });
        const file = join(output, `${ID}.cbz`);
        const whole = readFileSync(file);
        const damaged = Buffer.from(whole);
        damaged[200] = (damaged[200] ?? 0) ^ 1;
        writeFileSync(file, damaged);
        expect(await runWith(failure, 'verify', output, '--repair')).toMatchObject({ code: 0 });
        expect(readFileSync(file).equals(whole)).toBe(true);
        expect(readFileSync(`${file}.damaged`).equals(damaged)).toBe(true);
        expect(readdirSync(output)).toHaveLength(2);
      },
    );
  });

  describe('without a sync of folders', () => {
    test.each(Object.entries({ EINVAL, ENOTSUP, ENOSYS }))(
      '%s is ignored, and the chapter is saved',
      async (_, errno) => {
        const output = join(folder, 'output');
        const failure = { SYNC_ERRNO: String(errno) };
        expect(await runWith(failure, 'download', ID, '-o', output)).toMatchObject({ code: 0 });
        expect(readdirSync(output)).toEqual([`${ID}.cbz`]);
      },
    );

    test('a disk error is not ignored', async () => {
      const failure = { SYNC_ERRNO: String(constants.errno.EIO) };
      const words = ['download', ID, '--json', '-o', join(folder, 'output')];
      const { code, failed } = await runWith(failure, ...words);
      expect(code).toBe(3);
      expect(failed).toMatchObject({ reason: 'not-writable' });
    });
  });
});

const FILES_MODULE = `${MODULES_URL}/core/files.js`;

describeWith('a mount point', { mountNamespace: true }, () => {
  test('a name that is busy for a moment, as a mount point is, is replaced and removed afterwards', () => {
    const place = mkdtempSync(join(tmpdir(), 'tankobon-busy-'));
    try {
      const program = `import { renameInto, removeFile } from ${JSON.stringify(FILES_MODULE)};
        await renameInto('new', 'busy'); await removeFile('gone');`;
      const script =
        'echo old > busy; cp busy gone; echo new > new; echo other > other; ' +
        'mount --bind other busy && mount --bind other gone || exit 9; ' +
        '(sleep 0.4; umount busy; sleep 0.4; umount gone) & ' +
        '"$0" --input-type=module -e "$1" && cat busy && ls && wait';
      const found = spawnSync(
        'unshare',
        ['--user', '--map-root-user', '--mount', 'sh', '-c', script, process.execPath, program],
        { cwd: place, encoding: 'utf8' },
      );
      expect(found).toMatchObject({ status: 0, stderr: '', stdout: 'new\nbusy\nother\n' });
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
