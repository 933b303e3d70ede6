/**
 * Imported before the program: its monotonic clock and its waits run `BENCH_SPEED` times as fast, so that rate limits do
 * not make a measurement take an hour. `BENCH_OPENED` is a file that receives how many archives it opened.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const speed = Number(process.env['BENCH_SPEED'] ?? 1);
const bigint = process.hrtime.bigint.bind(process.hrtime);
process.hrtime.bigint = () => bigint() * BigInt(speed);
const { setTimeout: wait } = timers;
timers.setTimeout = (ms = 0, ...others: []) => wait(ms / speed, ...others);

let opened = 0;
function counted<Open extends (...given: never[]) => unknown>(open: Open): Open {
  return ((...given: Parameters<Open>) => {
    if (/\.(cbz|zip)$/i.test(String(given[0]))) opened += 1;
    return open(...given);
  }) as Open;
}
Object.assign(fs, { open: counted(fs.open), openSync: counted(fs.openSync) });
Object.assign(fs.promises, { open: counted(fs.promises.open) });
syncBuiltinESMExports();

const { writeFileSync } = fs;
process.on('exit', () => {
  writeFileSync(process.env['BENCH_OPENED'] ?? '', String(opened));
});
