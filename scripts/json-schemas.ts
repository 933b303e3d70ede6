/**
 * The JSON Schemas of the two files that people edit, for their editors: settings.json from the table of options, and
 * subscriptions.yaml from the schema that reads it, with the values and sentences of that table.
 */
import * as z from 'zod';
import type { OptionDefinition, OptionKind } from '../src/config/option-definition.js';
import {
  describeValue,
  kebabCase,
  optionDefinition,
  SERIES_OPTION_NAMES,
  SETTING_NAMES,
  type OptionName,
} from '../src/config/options.js';
import { FILE_KEYS, HOOK_KEYS, SERIES_KEYS } from '../src/sync/subscription-keys.js';
import { subscriptionsSchema } from '../src/sync/subscriptions/subscriptions-schema.js';

interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
}

/** The editors that read a `$schema` line know this draft. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';
const TEXT = { type: 'string' };
const TEXT_OR_NUMBER = { type: ['string', 'number'] };

const bounds = ({
  range: [minimum, maximum] = [0, Number.MAX_SAFE_INTEGER],
}: OptionDefinition) => ({
  minimum,
  maximum,
});

/** A value in a file, by its kind. An item of a list if it is one. */
const KINDS: Readonly<Record<OptionKind, (definition: OptionDefinition) => JsonSchema>> = {
  text: () => TEXT,
  path: () => TEXT,
  subfolder: () => TEXT,
  identifier: () => TEXT,
  address: () => ({ type: 'string', format: 'uri' }),
  template: () => TEXT,
  integer: (definition) => ({ type: 'integer', ...bounds(definition) }),
  number: (definition) => ({ type: 'number', ...bounds(definition) }),
  duration: () => TEXT_OR_NUMBER,
  rate: () => TEXT,
  size: () => TEXT,
  device: () => TEXT,
  time: () => TEXT,
  hours: () => TEXT,
  switch: () => ({ type: 'boolean' }),
  cover: ({ choices = [] }) => ({ enum: [true, false, ...choices] }),
  choice: ({ choices = [] }) => ({ enum: choices }),
  ranges: () => TEXT_OR_NUMBER,
  texts: () => TEXT,
  groups: () => TEXT,
  ids: () => ({ type: 'string', format: 'uuid' }),
  choices: ({ choices = [] }) => ({ enum: choices }),
  languages: () => TEXT,
  codes: () => TEXT,
};
const LISTS: readonly OptionKind[] = ['texts', 'groups', 'ids', 'choices', 'languages', 'codes'];

function valueOf(name: OptionName): JsonSchema {
  const definition = optionDefinition(name);
  const value = KINDS[definition.kind](definition);
  return definition.canBeOff ? { anyOf: [value, { const: false }] } : value;
}

export function settingsJsonSchema(): JsonSchema {
  const settings = SETTING_NAMES.map((name) => {
    const { kind, default: byDefault } = optionDefinition(name);
    // A list is a text with commas in this file.
    const value =
      LISTS.includes(kind) || kind === 'ranges' ? TEXT : byDefault === '' ? TEXT : valueOf(name);
    return [name, { description: describeValue(name), default: byDefault, ...value }] as const;
  });
  return {
    $schema: DRAFT,
    title: 'Settings of tankobon',
    type: 'object',
    properties: { $schema: TEXT, ...Object.fromEntries(settings) },
    additionalProperties: false,
  };
}

export function subscriptionsJsonSchema(): JsonSchema {
  const { properties = {}, ...file } = z.toJSONSchema(subscriptionsSchema([]), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  }) as JsonSchema;
  const { defaults = {}, series = {}, hooks = {} } = properties;
  const { bind } = defaults.properties ?? {};
  const options = Object.fromEntries(
    SERIES_OPTION_NAMES.filter((name) => name !== 'format').map((name) => [
      kebabCase(name),
      name === 'bind' ? withBindValues(bind) : yamlValue(name),
    ]),
  );
  const described = {
    ...properties,
    defaults: withProperties(defaults, withKeysOf(defaults, options)),
    series: {
      anyOf: series.anyOf?.map((one) =>
        one.items
          ? { ...one, items: { anyOf: [TEXT, withProperties(one.items, options, SERIES_KEYS)] } }
          : one,
      ),
    },
    hooks: withProperties(hooks, {}, HOOK_KEYS),
  };
  return {
    ...file,
    title: 'Subscriptions of tankobon',
    properties: withProperties({ properties: described }, {}, FILE_KEYS).properties,
  };
}

/** One value is a list of one. */
function yamlValue(name: OptionName): JsonSchema {
  const { kind } = optionDefinition(name);
  const value = valueOf(name);
  return LISTS.includes(kind) ? { anyOf: [TEXT, { type: 'array', items: value }] } : value;
}

function withBindValues(bind: JsonSchema = {}): JsonSchema {
  const { choices: units } = optionDefinition('bind');
  return withProperties(bind, { by: { enum: units }, format: valueOf('format') });
}

/** A key of one title is not one of the defaults. */
function withKeysOf(
  { properties = {} }: JsonSchema,
  options: Readonly<Record<string, JsonSchema>>,
) {
  return Object.fromEntries(Object.entries(options).filter(([key]) => key in properties));
}

/** The schema of a map with these values of its keys, and with a sentence for each key. */
function withProperties(
  schema: JsonSchema,
  values: Readonly<Record<string, JsonSchema>>,
  sentences: Readonly<Record<string, string>> = SERIES_KEYS,
): JsonSchema {
  const properties = Object.entries({ ...schema.properties, ...values }).map(([key, value]) => {
    const description = sentences[key];
    return [key, description === undefined ? value : { description, ...value }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
