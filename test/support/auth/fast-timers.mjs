// Loaded before a program: its sleeps last a tenth.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const { setTimeout: sleep } = timers;
timers.setTimeout = (ms, ...rest) => sleep(ms / 10, ...rest);
syncBuiltinESMExports();
