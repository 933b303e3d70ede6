/** Tests of what some systems lack; there they are skipped. */

const { platform } = process;

/** Windows has no POSIX signals, file modes, named pipes or sh, and symbolic links only for some users. */
export const posixTest = platform === 'win32' ? test.skip : test;
export const posixDescribe = platform === 'win32' ? describe.skip : describe;
/** Device files such as /dev/full, /proc, and the errors that they give. */
export const linuxTest = platform === 'linux' ? test : test.skip;
