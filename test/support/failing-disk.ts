/** A disk that fails at a chosen call of the program: a preloaded library answers in its place. Needs Linux and cc. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The n-th call that changes something below FAULT_BELOW fails with FAULT_ERRNO, n being FAULT_AT; with FAULT_STAYS, each
 * call after it too. FAULT_CALLS names the calls that count, by default all. FAULT_LOG receives `name path` of each.
 */
const C_SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls;

static void resolve(const char *path, char *resolved) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash) { snprintf(resolved, PATH_MAX, "%s", path); return; }
  *slash = 0;
  char real[PATH_MAX];
  if (!realpath(folder, real)) snprintf(real, sizeof real, "%s", folder);
  snprintf(resolved, PATH_MAX, "%.2000s/%.2000s", real, slash + 1);
}

static int fails(const char *name, const char *path) {
  const char *below = getenv("FAULT_BELOW"), *names = getenv("FAULT_CALLS"), *log = getenv("FAULT_LOG");
  char resolved[PATH_MAX];
  int kept = errno;
  resolve(path, resolved);
  errno = kept;
  if (!below || strncmp(resolved, below, strlen(below))) return 0;
  if (names && !strstr(names, name)) return 0;
  int call = __sync_add_and_fetch(&calls, 1);
  if (log) {
    int (*open_real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    ssize_t (*write_real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    char line[PATH_MAX + 40];
    int length = snprintf(line, sizeof line, "%s %s\\n", name, resolved);
    int fd = open_real(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (write_real(fd, line, length) != length) abort();
    close(fd);
    errno = kept;
  }
  const char *at = getenv("FAULT_AT");
  if (!at || !(call == atoi(at) || (call > atoi(at) && getenv("FAULT_STAYS")))) return 0;
  errno = atoi(getenv("FAULT_ERRNO"));
  return 1;
}

static int fails_open_file(const char *name, int fd) {
  char link[40], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = fd > 2 ? readlink(link, path, sizeof path - 1) : -1;
  if (length < 0) return 0;
  path[length] = 0;
  return fails(name, path);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)
#define BY_PATH(call, name, path, parameters, arguments) \\
  int name parameters { if (fails(call, path)) return -1; REAL(name); return real arguments; }
#define BY_FILE(call, type, name, fd, parameters, arguments) \\
  type name parameters { if (fails_open_file(call, fd)) return -1; REAL(name); return real arguments; }

BY_PATH("rename", rename, to, (const char *from, const char *to), (from, to))
BY_PATH("link", link, to, (const char *from, const char *to), (from, to))
BY_PATH("unlink", unlink, path, (const char *path), (path))
BY_PATH("mkdir", mkdir, path, (const char *path, mode_t mode), (path, mode))
BY_PATH("rmdir", rmdir, path, (const char *path), (path))
BY_FILE("write", ssize_t, write, fd, (int fd, const void *data, size_t size), (fd, data, size))
BY_FILE("write", ssize_t, pwrite64, fd, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
BY_FILE("write", ssize_t, writev, fd, (int fd, const struct iovec *data, int count), (fd, data, count))
BY_FILE("write", ssize_t, pwritev64, fd, (int fd, const struct iovec *data, int count, off64_t at), (fd, data, count, at))
BY_FILE("fsync", int, fsync, fd, (int fd), (fd))
BY_FILE("fsync", int, fdatasync, fd, (int fd), (fd))
BY_FILE("truncate", int, ftruncate64, fd, (int fd, off64_t size), (fd, size))
BY_FILE("chmod", int, fchmod, fd, (int fd, mode_t mode), (fd, mode))

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if ((flags & O_CREAT) && fails("create", path)) return -1;
  REAL(open64);
  return real(path, flags, mode);
}
`;

export type DiskCall =
  | 'rename'
  | 'link'
  | 'unlink'
  | 'mkdir'
  | 'rmdir'
  | 'write'
  | 'fsync'
  | 'truncate'
  | 'chmod'
  | 'create';

export interface DiskFault {
  /** Counted from 1; without it, no call fails. */
  readonly at?: number;
  /** The number of the system error. */
  readonly errno: number;
  /** Each call from then on fails, as on a disk that became full or read-only. */
  readonly stays: boolean;
  /** Only these are counted and fail. */
  readonly calls?: readonly DiskCall[];
}

/** Compiles the library into `folder`, and resolves with its path. */
export function compileFailingDisk(folder: string): string {
  const [source, library] = [join(folder, 'failing-disk.c'), join(folder, 'failing-disk.so')];
  writeFileSync(source, C_SOURCE);
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  return library;
}

/** The variables with which a process meets the fault below a folder, which has no links in its path. */
export function failingDiskEnv(
  library: string,
  below: string,
  log: string,
  { at, errno, stays, calls }: DiskFault,
): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library,
    FAULT_BELOW: below,
    FAULT_LOG: log,
    FAULT_ERRNO: String(errno),
    ...(at !== undefined && { FAULT_AT: String(at) }),
    ...(stays && { FAULT_STAYS: '1' }),
    ...(calls && { FAULT_CALLS: calls.join(',') }),
  };
}

/** The calls that were counted: `rename /tmp/comics/1.cbz`. */
export function countedCalls(log: string): readonly string[] {
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
}
