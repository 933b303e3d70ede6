import { ignoresHangup } from '../../../src/cli/hangup.js';

const terminals =
  (...fds: readonly number[]) =>
  (fd: number) =>
    fds.includes(fd);
const IGNORING = 'Name:\tsh\nSigIgn:\t0000000000000001\nSigCgt:\t0000000000010002\n';
const NOT_IGNORING = 'Name:\tbash\nSigIgn:\t0000000000384004\nSigCgt:\t000000004b817efb\n';

test.each([
  ['at a terminal', 'linux', [0, 1, 2], NOT_IGNORING, false],
  ['output redirected, input at the terminal', 'linux', [0], NOT_IGNORING, false],
  ['after nohup', 'linux', [], NOT_IGNORING, true],
  ['after nohup of macOS, which leaves the input', 'darwin', [0], undefined, true],
  ['at a terminal of macOS', 'darwin', [0, 1, 2], undefined, false],
  ['messages at a terminal of macOS', 'darwin', [2], undefined, false],
  ['from a shell that ignores it', 'linux', [0, 1, 2], IGNORING, true],
  ['where /proc cannot be read', 'linux', [1], undefined, false],
  ['where the mask is not understood', 'linux', [1], 'SigIgn:\tnone\n', false],
] as const)('%s', (_, platform, fds, parentStatus, ignored) => {
  expect(ignoresHangup({ platform, isTerminal: terminals(...fds), parentStatus })).toBe(ignored);
});
