/** Tests of what some systems lack. */
import { test } from '@jest/globals';

/** Windows has no POSIX signals, file modes, named pipes or sh. */
export const posixTest = process.platform === 'win32' ? test.skip : test;
/** Device files such as /dev/full, and /proc. */
export const linuxTest = process.platform === 'linux' ? test : test.skip;
