import { homedir } from 'node:os';
import { isAbsolute, join, posix, win32 } from 'node:path';
import { isInFolder } from '../../../src/config/own-folders.js';
import { pathsFrom } from '../../../src/config/paths.js';

const inHome = (...names: string[]) => join(homedir(), ...names);

test.each([
  ['linux', inHome('.config', 'tankobon'), inHome('.local', 'state', 'tankobon')],
  [
    'darwin',
    inHome('Library', 'Preferences', 'tankobon'),
    inHome('Library', 'Application Support', 'tankobon'),
  ],
  [
    'win32',
    inHome('AppData', 'Roaming', 'tankobon', 'Config'),
    inHome('AppData', 'Local', 'tankobon', 'Data'),
  ],
  ['freebsd', inHome('.config', 'tankobon'), inHome('.local', 'share', 'tankobon')],
] as const)('on %s the folders are those of the platform', (platform, config, state) => {
  expect(pathsFrom({}, platform)).toEqual({ config, state, ledger: join(state, 'ledger') });
});

test('the platform’s own variables name them; an empty one counts as not set', () => {
  const xdg = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '' };
  expect(pathsFrom(xdg, 'linux')).toMatchObject({ config: '/c/tankobon', state: '/s/tankobon' });
  expect(pathsFrom(xdg, 'freebsd').state).toBe(inHome('.local', 'share', 'tankobon'));
  const windows = { APPDATA: '/roaming', LOCALAPPDATA: '/local' };
  expect(pathsFrom(windows, 'win32')).toMatchObject({
    config: join('/roaming', 'tankobon', 'Config'),
    state: join('/local', 'tankobon', 'Data'),
  });
});

test('a relative XDG folder is ignored, as the XDG specification says', () => {
  const relative = { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: '../app/s' };
  expect(pathsFrom(relative, 'linux')).toEqual(pathsFrom({}, 'linux'));
});

test.each(['relative/home', ''])('HOME "%s" is refused as not absolute, not as unset', (home) => {
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  try {
    if (isAbsolute(homedir())) return;
    expect(() => pathsFrom({}, 'linux')).toThrow(
      `No home folder found: it must be an absolute path, and HOME is "${home}".`,
    );
  } finally {
    process.env['HOME'] = before;
  }
});

test('TANKOBON_HOME is all of them but a ledger that is named itself', () => {
  expect(pathsFrom({ TANKOBON_HOME: '/home', TANKOBON_LEDGER: '/shared' })).toEqual({
    config: '/home',
    state: '/home',
    ledger: '/shared',
  });
});

test('~ is the home folder: Compose, systemd and .env files do not expand it', () => {
  expect(pathsFrom({ TANKOBON_HOME: '~/tankobon', TANKOBON_LEDGER: '~/shared' })).toEqual({
    config: inHome('tankobon'),
    state: inHome('tankobon'),
    ledger: inHome('shared'),
  });
});

test.each([
  ['C:\\Users\\me', true],
  ['c:\\users\\me\\AppData', true],
  ['C:\\Users\\me\\..state', true],
  ['C:\\Users', false],
  ['C:\\Users\\me2', false],
  ['D:\\Users\\me\\AppData', false],
  ['\\\\nas\\share\\me', false],
])('%s is in the home folder C:\\Users\\me: %s', (inner, expected) => {
  expect(isInFolder(inner, 'C:\\Users\\me', win32)).toBe(expected);
});

test.each([
  ['/home/me/state', true],
  ['/home/me/..state', true],
  ['/home', false],
  ['/home/me2', false],
])('%s is in the home folder /home/me: %s', (inner, expected) => {
  expect(isInFolder(inner, '/home/me', posix)).toBe(expected);
});
