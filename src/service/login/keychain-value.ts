/**
 * A text of any length in the keychain. One that is too long for an entry is split into parts, and the entry names them.
 * Several entries cannot be replaced together: a new text goes to the unused one of two slots, so that a process that is
 * killed between two parts leaves the old text whole. Writers exclude each other by a lock; a reader without it that meets
 * two writers may get a mix of their texts.
 */
import { isRecord, parseJson } from '../../core/json.js';
import { MAX_ENTRY_BYTES } from '../keychain.js';
import { type Keychain } from '../../config/context.js';
import { MAX_TOKEN_BYTES } from './login-record.js';
import { MAX_FIELD_BYTES } from '../../config/login-fields.js';

interface Parts {
  readonly slot: 'a' | 'b';
  readonly parts: number;
}

/** The longest token and the fields beside it. */
const MAX_PARTS = Math.ceil((MAX_TOKEN_BYTES + 8 * MAX_FIELD_BYTES) / MAX_ENTRY_BYTES);
/** A reader that meets a writer tries again. */
const MAX_READS = 4;

/** Resolves with undefined without the entry, and with an empty text where a part is missing. */
export async function readValue(keychain: Keychain, entry: string): Promise<string | undefined> {
  let last: string | undefined;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const text = await getText(keychain, entry);
    const parts = partsIn(text);
    if (!parts) return text;
    const value = await readParts(keychain, entry, parts);
    // A writer may have switched the slot while the parts were read; it has not if the entry is the same.
    if (value !== undefined || text === last) return value ?? '';
    last = text;
  }
  return '';
}

/** The write of the entry itself is the commit. */
export async function writeValue(keychain: Keychain, entry: string, text: string): Promise<void> {
  const before = partsIn(await getText(keychain, entry));
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_ENTRY_BYTES) {
    await keychain.set(entry, bytes);
  } else {
    const slot = before?.slot === 'a' ? 'b' : 'a';
    const parts = Math.ceil(bytes.length / MAX_ENTRY_BYTES);
    for (let part = 0; part < parts; part += 1) {
      const start = part * MAX_ENTRY_BYTES;
      await keychain.set(
        partName(entry, slot, part),
        bytes.subarray(start, start + MAX_ENTRY_BYTES),
      );
    }
    await keychain.set(entry, Buffer.from(JSON.stringify({ slot, parts } satisfies Parts)));
  }
  if (before) await deleteSlot(keychain, entry, before);
}

/** Deletes the entry first, then all parts, also those of killed writes. Resolves with whether there was anything. */
export async function deleteValue(keychain: Keychain, entry: string): Promise<boolean> {
  let existed = await keychain.delete(entry);
  for (const slot of ['a', 'b'] as const)
    existed = (await deleteSlot(keychain, entry, { slot, parts: MAX_PARTS })) || existed;
  return existed;
}

async function deleteSlot(
  keychain: Keychain,
  entry: string,
  { slot, parts }: Parts,
): Promise<boolean> {
  let existed = false;
  for (let part = parts - 1; part >= 0; part -= 1)
    existed = (await keychain.delete(partName(entry, slot, part))) || existed;
  return existed;
}

async function readParts(
  keychain: Keychain,
  entry: string,
  { slot, parts }: Parts,
): Promise<string | undefined> {
  const read: Uint8Array[] = [];
  for (let part = 0; part < parts; part += 1) {
    const bytes = await keychain.get(partName(entry, slot, part));
    if (!bytes) return undefined;
    read.push(bytes);
  }
  return Buffer.concat(read).toString('utf8');
}

async function getText(keychain: Keychain, entry: string): Promise<string | undefined> {
  const bytes = await keychain.get(entry);
  return bytes && Buffer.from(bytes).toString('utf8');
}

/** Undefined for an entry that holds the text itself. */
function partsIn(text: string | undefined): Parts | undefined {
  const value = parseJson(text ?? '');
  if (!isRecord(value)) return undefined;
  const { slot, parts } = value;
  const isSlot = slot === 'a' || slot === 'b';
  return isSlot && typeof parts === 'number' && parts <= MAX_PARTS ? { slot, parts } : undefined;
}

/** The first part is 1. */
function partName(entry: string, slot: string, part: number): string {
  return `${entry}.${slot}.${part + 1}`;
}
