/**
 * Keeps the process small while large pages pass through it. Node hands out each piece of a body in memory of its
 * own beside V8's heap, and V8 lets some 30 MB of such pieces pile up before it looks after them; the part of its
 * heap for young objects grows to as much again and stays so. Both are V8's choices for a server with room to spare.
 * This turns V8's own knobs, which belong to whoever owns the process: the command line does, the library does not.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Fewer, and collecting costs time; more, and the process grows by what lies about. */
const COLLECTED_AT_ONCE_BYTES = 2 * 1024 * 1024;

/**
 * Holds V8's room for young objects at the size it has now. Gives a function that is told of bytes as they arrive,
 * and has the young memory collected whenever so many have come.
 */
export function createMinorCollector(): (arrivedBytes: number) => void {
  const collect = minorCollection();
  let lyingAboutBytes = 0;
  return (arrivedBytes) => {
    lyingAboutBytes += arrivedBytes;
    if (lyingAboutBytes < COLLECTED_AT_ONCE_BYTES) return;
    lyingAboutBytes = 0;
    collect?.({ type: 'minor' });
  };
}

/** `undefined` in a Node that does not know these knobs any more: the process is larger then, and nothing else. */
function minorCollection(): NodeJS.GCFunction | undefined {
  try {
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--expose-gc');
    return runInNewContext('gc') as NodeJS.GCFunction;
  } catch {
    return undefined;
  }
}
