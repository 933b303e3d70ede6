/** Edits of the subscriptions file keep its comments and its order. */
import {
  addSeries,
  indexOfTarget,
  removeSeries,
  setId,
} from '../../../src/sync/subscriptions/edit-text.js';
import { parseSubscriptions } from '../../../src/sync/subscriptions/subscriptions-file.js';

const ID = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const OTHER_ID = '8b7e2a64-1f3d-4c58-a2c6-5d9e0b3f7202';
const source = (text: string) => ({ file: 'subs.yaml', text, extraHosts: [] });
const parse = (text: string) => parseSubscriptions(source(text));

const EXAMPLE = `# My shelf
defaults: { language: [en], output: ~/Comics, quality: data }
follows: { status: [reading, re_reading] } # what I read
series:
  # the best one
  - target: https://mangadex.org/title/${ID}/slug
    language: [pt-br, en]
    group: [Preferred Scans, Other Scans]
    wait-for-group: 2d
    upgrade: true
    bind: { by: volume, format: epub }
    paused: false
hooks:
  exec: [notify-send, new chapters]
`;

test('adding and removing a series leaves everything else as it was', () => {
  const added = addSeries(source(EXAMPLE), `title:${OTHER_ID}`, {
    entry: { title: 'Starlight', language: ['en'], upgrade: true },
  });
  for (const line of EXAMPLE.split('\n')) expect(added).toContain(line);
  expect(added).toContain(`target: title:${OTHER_ID}\n    title: Starlight\n`);
  const index = indexOfTarget(parse(added), { kind: 'title', id: OTHER_ID });
  expect(parse(added).series[index]).toMatchObject({ language: ['en'], upgrade: true });
  expect(removeSeries(source(added), index)).toBe(EXAMPLE);
});

test('adding one that is there sets its options', () => {
  const text = addSeries(source(EXAMPLE), ID, { entry: { upgrade: false } });
  expect(text).toBe(EXAMPLE.replace('upgrade: true', 'upgrade: false'));
});

test('an entry that is only a target becomes a map when an option is added', () => {
  const plain = `series:\n  # the best one\n  - title:${ID} # mine\n  - https://mangadex.org/title/${OTHER_ID}\n`;
  const text = addSeries(source(plain), ID, { entry: { upgrade: true }, unset: ['group'] });
  expect(text).toBe(
    `series:\n  # the best one\n  - target: title:${ID} # mine\n    upgrade: true\n  - https://mangadex.org/title/${OTHER_ID}\n`,
  );
  expect(addSeries(source(plain), ID, { entry: {}, unset: ['group'] })).toBe(plain);
  expect(removeSeries(source(plain), 0)).not.toContain(ID);
});

test('lines that are added to a file from Windows end as its other lines', () => {
  const text = `\uFEFF${EXAMPLE.replaceAll('\n', '\r\n')}`;
  const added = addSeries(source(text), `title:${OTHER_ID}`, { entry: { upgrade: true } });
  expect(added.match(/(?<!\r)\n|\r(?!\n)/g)).toBeNull();
  expect(setId(source(text), 'abc').match(/(?<!\r)\n|\r(?!\n)/g)).toBeNull();
  expect(removeSeries(source(added), 1)).toBe(text);
});

test('a title that is added after the last one was removed has a line of its own', () => {
  const text = 'series:\n  - target: title:one\n';
  const empty = removeSeries(source(text), 0);
  const added = addSeries(source(empty), ID, { entry: {}, unset: [] });
  expect(added).toBe(`series:\n  - target: ${ID}\n`);
});

test('an option is removed by its key, and the default of the file applies again', () => {
  const change = { entry: {}, unset: ['language', 'bind'] };
  const text = addSeries(source(EXAMPLE), ID, change);
  expect(parse(text).series[0]).toMatchObject({ language: ['en'], upgrade: true });
  expect(parse(text).series[0]).not.toHaveProperty('bind');
  const lines = EXAMPLE.split('\n').filter((line) => !/^ {4}(language|bind):/.test(line));
  expect(text.split('\n')).toEqual(lines);
});

test('an empty file gets its first series, and an invalid option is refused', () => {
  const text = addSeries(source('# nothing yet\n'), `title:${ID}`, { entry: {} });
  expect(text).toContain('# nothing yet');
  expect(parse(text).series).toHaveLength(1);
  expect(parse(addSeries(source('null\n'), `title:${ID}`, { entry: {} })).series).toHaveLength(1);
  expect(() => addSeries(source(''), `title:${ID}`, { entry: { chapters: 'x' } })).toThrow(
    'Invalid range for chapters',
  );
});

describe('where another part of the file refers to the changed one by an alias', () => {
  const text = `series:
  - target: title:${ID}
    group: &groups [Preferred Scans, Other Scans]
  - target: title:${OTHER_ID}
    group: *groups
`;
  test.each<[string, () => unknown]>([
    ['a removal', () => removeSeries(source(text), 0)],
    ['a value', () => addSeries(source(text), ID, { entry: { group: ['Third Scans'] } })],
    ['a removed key', () => addSeries(source(text), ID, { entry: {}, unset: ['group'] })],
  ])('%s is refused', (_, change) => {
    expect(change).toThrow(
      expect.objectContaining({
        code: 'bad-subscriptions',
        hint: expect.stringContaining('tankobon sync edit') as unknown,
      }),
    );
  });

  test('other edits keep the alias', () => {
    const added = addSeries(source(text), ID, { entry: { upgrade: true } });
    expect(added).toContain('group: *groups');
    expect(parse(removeSeries(source(text), 1)).series).toHaveLength(1);
  });
});
