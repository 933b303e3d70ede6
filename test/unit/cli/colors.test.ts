/** When output is colored, and which characters bars are made of. */
import { applyColorOption, colorMessages, usesColors } from '../../../src/cli/output/colors.js';
import { glyphsFor } from '../../../src/cli/output/glyphs.js';

describe('colors', () => {
  test.each([
    [[], {}, true, true],
    [[], {}, false, false],
    [[], { TERM: 'dumb' }, true, false],
    [[], { NO_COLOR: '1' }, true, false],
    [[], { NO_COLOR: '' }, true, true],
    [[], { FORCE_COLOR: '1' }, false, true],
    [[], { FORCE_COLOR: '0' }, true, false],
    [[], { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [['--color=never'], { FORCE_COLOR: '1' }, true, false],
    [['download', '--color', 'always', 'x'], { NO_COLOR: '1' }, false, true],
    [['--color=always', '--color=never'], {}, true, false],
    [['--color=auto'], { NO_COLOR: '1' }, true, false],
    [['--', '--color=never'], {}, true, true],
  ])('%j with %j at a terminal (%j): %j', (args, variables, isTTY, expected) => {
    const env: Record<string, string> = { ...variables };
    applyColorOption(args, env);
    expect(usesColors(env, { isTTY })).toBe(expected);
  });

  test('the first words of messages have colors', () => {
    expect(colorMessages('failed: a\nwarning: b\nhint: h\nskipped: s\nerror: c\nsaved: d\n')).toBe(
      '\u001B[31mfailed:\u001B[39m a\n\u001B[33mwarning:\u001B[39m b\n\u001B[1mhint:\u001B[22m h\n\u001B[2mskipped:\u001B[22m s\n\u001B[31merror:\u001B[39m c\nsaved: d\n',
    );
  });
});

test.each([
  [{ LANG: 'C' }, 'linux', '#'],
  [{ LANG: 'en_US.ISO-8859-1' }, 'linux', '#'],
  [{}, 'linux', '#'],
  [{}, 'win32', '█'],
  [{ LANG: 'C.UTF-8' }, 'linux', '█'],
  [{ LANG: 'de_DE.utf8' }, 'darwin', '█'],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, 'linux', '#'],
  [{ LC_ALL: '', LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, 'linux', '█'],
] as const)('with %j on %s a bar is made of %s', (env, platform, full) => {
  expect(glyphsFor(env, platform).full).toBe(full);
});
