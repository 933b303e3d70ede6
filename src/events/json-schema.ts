/** The JSON Schema of an event of `--json`, from the table of events. Pure. */
import { eventsByCommand } from './events.js';
import type { Field, FieldKind, Fields } from './fields.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Editors and validators of all languages know this draft. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';
const TEXT = { type: 'string' };
const WHOLE_NUMBER = { type: 'integer', minimum: 0 };

const KINDS: Readonly<Record<Exclude<FieldKind, 'error'>, (field: Field) => JsonSchema>> = {
  text: () => TEXT,
  id: () => ({ type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  path: () => TEXT,
  address: () => ({ type: 'string', pattern: '^https?://' }),
  time: () => ({ type: 'string', format: 'date-time' }),
  count: () => WHOLE_NUMBER,
  milliseconds: () => WHOLE_NUMBER,
  bytes: () => WHOLE_NUMBER,
  boolean: () => ({ type: 'boolean' }),
  true: () => ({ const: true }),
  // Later versions have more codes.
  'error-code': () => TEXT,
  word: ({ words = {} }) => ({ enum: Object.keys(words) }),
  object: ({ fields = {} }) => objectSchema(fields),
};

/** `anyOf`: one for each event of each command. Unknown fields are allowed, since later versions have more of them. */
export function eventsJsonSchema(): JsonSchema {
  const events = eventsByCommand().flatMap((each) => each.events);
  return {
    $schema: DRAFT,
    title: 'An event that tankobon prints with --json',
    anyOf: events.map(({ type, meaning, fields, commands }) => ({
      title: type,
      description: `${meaning} Commands: ${commands.join('; ')}.`,
      ...objectSchema(fields, { type: { const: type } }),
    })),
  };
}

function objectSchema(fields: Fields, others: JsonSchema = {}): JsonSchema {
  const printed = Object.entries(fields).filter(([, { kind }]) => kind !== 'error');
  const required = printed.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  const properties = printed.map(([name, field]) => [name, fieldSchema(field)] as const);
  return {
    type: 'object',
    required: [...Object.keys(others), ...required],
    properties: { ...others, ...Object.fromEntries(properties) },
  };
}

function fieldSchema(field: Field): JsonSchema {
  const { kind, sentence: description, isList } = field;
  if (kind === 'error') return {};
  const value = KINDS[kind](field);
  return isList ? { description, type: 'array', items: value } : { description, ...value };
}
