/**
 * How a table of events is written. The types of the events, what `--json` prints of them, help, the documentation and
 * the types of the library are derived from it.
 */
import type { ErrorCode } from '../core/error-codes.js';
import type { TankobonError } from '../core/errors.js';

/** Words with their meanings: the values of a field that has no others. */
export type Vocabulary<Word extends string = string> = Readonly<Record<Word, string>>;

/** A change of wording is not a change of type. */
export function vocabulary<Word extends string>(meanings: Vocabulary<Word>): Vocabulary<Word> {
  return meanings;
}

export type FieldKind =
  | 'text'
  | 'id'
  | 'path'
  | 'address'
  | 'time'
  | 'count'
  | 'milliseconds'
  | 'bytes'
  | 'boolean'
  | 'true'
  | 'error-code'
  | 'word'
  | 'object'
  | 'error';

declare const VALUE: unique symbol;

export interface Field<Value = unknown> {
  readonly kind: FieldKind;
  readonly sentence: string;
  readonly isOptional?: true;
  /** Whether the field has any number of such values. */
  readonly isList?: true;
  /** Only with the kind `word`. */
  readonly words?: Vocabulary;
  /** Only with the kind `object`. */
  readonly fields?: Fields;
  /** Exists for the compiler only. */
  readonly [VALUE]?: Value;
}

export type Fields = Readonly<Record<string, Field>>;
type OptionalField<Value> = Field<Value> & { readonly isOptional: true };

type ValueOf<F> = F extends Field<infer Value> ? Value : never;
type OptionalNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof F];
type Flat<T> = { [Name in keyof T]: T[Name] };

/** The object that has the fields. */
export type ValuesOf<F extends Fields> = Flat<
  { readonly [Name in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[Name]> } & {
    readonly [Name in OptionalNames<F>]?: ValueOf<F[Name]>;
  }
>;

const ofKind =
  <Value>(kind: FieldKind) =>
  (sentence: string): Field<Value> => ({ kind, sentence });

export const text = ofKind<string>('text');
/** A UUID. */
export const id = ofKind<string>('id');
export const path = ofKind<string>('path');
/** An https: or http: URL. */
export const address = ofKind<string>('address');
/** A time in ISO 8601, in UTC. */
export const time = ofKind<string>('time');
/** A whole number. */
export const count = ofKind<number>('count');
export const milliseconds = ofKind<number>('milliseconds');
export const bytes = ofKind<number>('bytes');
export const boolean = ofKind<boolean>('boolean');
/** A field that is `true` or missing. */
export const mark = (sentence: string) => optional(ofKind<true>('true')(sentence));
/** A code of core/error-codes.ts. */
export const errorCode = ofKind<ErrorCode>('error-code');
/** What exit code and hints are derived from; `--json` does not print it. */
export const error = ofKind<TankobonError>('error');

export function word<Word extends string>(words: Vocabulary<Word>, sentence: string): Field<Word> {
  return { kind: 'word', sentence, words };
}

export function object<F extends Fields>(fields: F, sentence: string): Field<ValuesOf<F>> {
  return { kind: 'object', sentence, fields };
}

export function list<Value>(field: Field<Value>): Field<readonly Value[]> {
  return { ...field, isList: true } as Field as Field<readonly Value[]>;
}

export const texts = (sentence: string) => list(text(sentence));
export const objects = <F extends Fields>(fields: F, sentence: string) =>
  list(object(fields, sentence));

export function optional<Value>(field: Field<Value>): OptionalField<Value> {
  return { ...field, isOptional: true };
}

/** A row of a table of events. */
export interface EventDefinition<F extends Fields = Fields> {
  /** What happened: a sentence for help and the documentation. */
  readonly meaning: string;
  readonly fields: F;
  /** What `--json` prints of such an event, without its type. */
  readonly example: Omit<ValuesOf<F>, 'error'>;
  /** Lines for people; undefined if they need not see the event. Absent where a line needs more than the event. */
  sentence?(event: ValuesOf<F>, nowMs: number): string | undefined;
  /** Whether people see it with `--verbose` only. */
  readonly isVerbose?: true;
}

export type EventTable = Readonly<Record<string, EventDefinition>>;

/** Each event of a table: an object with its type and its fields. */
export type EventsOf<Table extends EventTable> = {
  [Type in keyof Table & string]: Flat<{ readonly type: Type } & ValuesOf<Table[Type]['fields']>>;
}[keyof Table & string];

export function event<F extends Fields>(
  definition: EventDefinition<NoInfer<F>> & { readonly fields: F },
): EventDefinition<F> {
  return definition;
}
