/** `npm run bench -- [measurement…]`: all of them where none is named. */
import { batch } from './batch.js';
import { batchCost } from './batch-cost.js';
import { bind } from './bind.js';
import { collection } from './collection.js';
import { devicePages } from './device-pages.js';
import { ensureInstalled } from './debian-packages.js';
import { executable } from './executable.js';
import { http2 } from './http2.js';
import { install } from './install.js';
import { ledger } from './ledger.js';
import { library } from './library.js';
import { memory } from './memory.js';
import { oneChapter } from './one-chapter.js';
import { packing } from './packing.js';
import type { Measurement } from './records.js';
import { reports } from './reports.js';
import { scale } from './scale.js';
import { startUp } from './start-up.js';
import { verify } from './verify.js';

const MEASUREMENTS: readonly Measurement[] = [
  oneChapter,
  startUp,
  executable,
  memory,
  packing,
  reports,
  ledger,
  http2,
  batch,
  batchCost,
  scale,
  library,
  collection,
  bind,
  devicePages,
  verify,
  install,
];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !MEASUREMENTS.some((one) => one.name === name));
if (unknown.length > 0) {
  const list = MEASUREMENTS.map(({ name, about }) => `  ${name.padEnd(14)}${about}\n`);
  process.stderr.write(
    `There is no measurement ${unknown.join(', ')}. There are:\n${list.join('')}`,
  );
  process.exitCode = 2;
} else {
  ensureInstalled();
  for (const one of MEASUREMENTS) {
    if (named.length === 0 || named.includes(one.name)) await one.run();
  }
}
