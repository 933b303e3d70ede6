/**
 * A thread that acts as one process after the other on the journals of a folder. It stops before each call to the
 * system until the test says how the call ends: as usual, with the kill of the process, or on a full disk.
 */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const { control, maxInFlight: MAX_IN_FLIGHT, modulesUrl } = workerData;
const [GO, KILL, FULL] = [1, 2, 3];
const CALLS =
  'openSync closeSync readSync writeSync ftruncateSync fsyncSync renameSync unlinkSync fstatSync lstatSync readdirSync';
const require = createRequire(import.meta.url);
const addon = require(
  `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`,
);
const { closeSync, writeSync } = fs;
const descriptors = new Set();
let isSimulated = false;
let isKilled = false;
let hasWriteFailed = false;

class Killed extends Error {}

/** Returns how the call ends; `share` of a write reaches the disk before a kill or an error. */
function pause(call) {
  parentPort.postMessage({ type: 'call', call });
  Atomics.wait(control, 0, 0);
  const ending = Atomics.exchange(control, 0, 0);
  return { ending, share: control[1] / 1_000 };
}

/** The kernel closes the files of a killed process, which releases its locks. */
function die() {
  isKilled = true;
  for (const descriptor of descriptors) closeSync(descriptor);
  descriptors.clear();
  throw new Killed();
}

function wrap(object, name, original = object[name]) {
  object[name] = (...words) => {
    if (!isSimulated) return original.apply(object, words);
    if (isKilled) throw new Killed();
    const { ending, share } = pause(name);
    if (name === 'writeSync' && ending !== GO) {
      const [descriptor, bytes, offset, length, position] = words;
      writeSync(descriptor, bytes, offset, Math.floor(length * share), position);
    }
    if (ending === KILL) die();
    if (name === 'writeSync') hasWriteFailed = ending === FULL;
    if (name === 'writeSync' && ending === FULL)
      throw Object.assign(new Error('ENOSPC: no space left on device'), {
        code: 'ENOSPC',
        errno: -28,
        syscall: 'write',
      });
    if (name === 'closeSync') descriptors.delete(words[0]);
    const result = original.apply(object, words);
    if (name === 'openSync') descriptors.add(result);
    return result;
  };
}
for (const name of CALLS.split(' ')) wrap(fs, name);
for (const name of ['tryLock', 'unlock']) wrap(addon, name);
syncBuiltinESMExports();

const { openJournals } = await import(`${modulesUrl}/core/journal.js`);
const { compactedLines, lastLoadId, loadLine, waitingReports } = await import(
  `${modulesUrl}/service/reports/report-journal.js`
);

/** Records `loads`, sends them and what ended processes left, and compacts now and then. */
async function run({ folder, loads, firstNumber, random }) {
  const notify = (message) => {
    parentPort.postMessage(message);
  };
  const journals = await openJournals(folder);
  const contents = journals.map((journal) => journal.read().entries);
  const queue = contents.flatMap((entries, index) =>
    waitingReports(entries).map((report) => ({ journal: journals[index], report })),
  );
  let nextId = lastLoadId(contents[0]) + 1;
  // What was written to each journal, or waits in memory while the disk is full.
  const effects = new Map(journals.map((journal) => [journal, []]));
  const append = (journal, line, effect) => {
    hasWriteFailed = false;
    effects.get(journal).push(effect);
    try {
      journal.append([line]);
    } catch (error) {
      if (!hasWriteFailed) throw error;
      return;
    }
    for (const written of effects.get(journal).splice(0)) notify(written);
  };
  const inFlight = [];
  const end = () => {
    const { journal, report } = inFlight.shift();
    const line = { done: report.id, outcome: 'sent', atMs: 5 };
    append(journal, line, { type: 'done', number: report.report.bytes });
  };
  for (let done = 0; done < loads || queue.length > 0; done += 1) {
    if (done < loads) {
      const number = firstNumber + done;
      const url = `https://node.example.net/${number}.png`;
      const load = { url, success: true, bytes: number, duration: 7, cached: false };
      const report = { id: nextId, atMs: 1_000 + number, report: load };
      nextId += 1;
      append(journals[0], loadLine(report), { type: 'stored', number });
      queue.push({ journal: journals[0], report });
    }
    if (queue.length > 0 && (done >= loads || random() < 0.6)) {
      const next = queue.shift();
      notify({ type: 'sent', number: next.report.report.bytes });
      inFlight.push(next);
    }
    if (inFlight.length === MAX_IN_FLIGHT || (inFlight.length > 0 && random() < 0.5)) end();
    if (random() < 0.15) {
      const journal = journals[Math.floor(random() * journals.length)];
      await journal.compact(compactedLines);
    }
  }
  while (inFlight.length > 0) end();
  for (const journal of journals) journal.close();
}

function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

parentPort.on('message', async ({ seed, ...process }) => {
  isSimulated = true;
  isKilled = false;
  try {
    await run({ ...process, random: randomOf(seed) });
    parentPort.postMessage({ type: 'ended' });
  } catch (error) {
    parentPort.postMessage({ type: isKilled ? 'ended' : 'failed', error: String(error?.stack) });
  } finally {
    isSimulated = false;
  }
});
parentPort.postMessage({ type: 'ready' });
