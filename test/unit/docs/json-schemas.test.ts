/** The JSON Schemas in the package accept what the program accepts; generated-pages.test.ts holds that they are current. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { optionDefinition, SETTING_NAMES } from '../../../src/config/options.js';
import { storedValue } from '../../../src/config/settings.js';
import { parseSubscriptions } from '../../../src/sync/subscriptions/subscriptions-file.js';
import { SUBSCRIPTIONS_EXAMPLE } from '../../../src/sync/subscription-keys.js';

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
}

const read = (name: string) =>
  JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')) as Described;
const checker = (name: string) =>
  z.fromJSONSchema(read(name) as Parameters<typeof z.fromJSONSchema>[0]);

test('settings: the default and the example of each, and no other key', () => {
  const settings = checker('settings');
  for (const name of SETTING_NAMES) {
    const { default: byDefault, example = byDefault } = optionDefinition(name);
    const values = [byDefault, storedValue(name, String(example))];
    for (const value of values)
      expect([name, value, settings.safeParse({ [name]: value }).success]).toEqual([
        name,
        value,
        true,
      ]);
  }
  expect(settings.safeParse({ $schema: 'x', qualty: 'data' }).success).toBe(false);
  expect(settings.safeParse({ quality: 'best' }).success).toBe(false);
  expect(settings.safeParse({ concurrency: 0 }).success).toBe(false);
});

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0051';
const accepted = [
  SUBSCRIPTIONS_EXAMPLE.replaceAll('UUID', ID),
  `series:\n  - { target: ${ID}, chapters: 10, language: en, exclude-uploader: [${ID}], since: 2026-11-21 }`,
  `series: [title:${ID}]`,
  `follows: { status: reading }\ndefaults: { bind: { by: volume, format: epub }, infer: false }`,
  `hooks: { exec: [notify], webhook: { url: "https://host.example/x", on: [new, failed] } }`,
];
const refused = [
  `series:\n  - { target: ${ID}, langage: en }`,
  `series:\n  - { language: en }`,
  `defaults: { quality: best }`,
  `defaults: { bind: { format: epub } }`,
  `hooks: { plex: {} }`,
];

test('subscriptions: what the program accepts and refuses', () => {
  const schema = checker('subscriptions');
  const isValid = (text: string) => schema.safeParse(parse(text)).success;
  const isAccepted = (text: string) => {
    try {
      return Boolean(parseSubscriptions({ text, file: 'x', extraHosts: [] }));
    } catch {
      return false;
    }
  };
  for (const text of accepted)
    expect([text, isValid(text), isAccepted(text)]).toEqual([text, true, true]);
  for (const text of refused)
    expect([text, isValid(text), isAccepted(text)]).toEqual([text, false, false]);
});

test('each key has a sentence', () => {
  const { properties: settings = {} } = read('settings');
  const { properties: file = {} } = read('subscriptions');
  const entry = file['series']?.anyOf?.[0]?.items?.anyOf?.find((each) => each.properties);
  const series = entry?.properties ?? {};
  const all = { ...settings, ...file, ...series, ...file['hooks']?.properties };
  const silent = Object.keys(all).filter((key) => all[key]?.description === undefined);
  expect(Object.keys(series).length).toBeGreaterThan(10);
  expect(silent).toEqual(['$schema']);
});
