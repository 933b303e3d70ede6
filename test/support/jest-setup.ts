/**
 * What jest-light-runner lacks: a test or hook that does not end fails by name, and a test process ends with the tests,
 * whatever a failed one left open.
 */
import { resetFlags } from '../../src/core/v8-flags.js';

/** For tests that are given no limit of their own, as Jest's third argument. */
const DEFAULT_LIMIT_MS = 120_000;
const SOAK_LIMIT_MS = 600_000;

type AnyFunction = (...args: unknown[]) => unknown;

/** Takes no `done` callback: what `fn` expects besides the row of a table is not passed on. */
function limited(fn: AnyFunction, limitMs: number): AnyFunction {
  return async (...args) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      const error = new Error(`Did not end within ${limitMs / 1_000} seconds.`);
      timer = setTimeout(reject, limitMs, error);
    });
    try {
      await Promise.race([fn(...args), late]);
    } finally {
      clearTimeout(timer);
      // A command that ran in this process has set V8's flags, with which all later tests collect more often.
      resetFlags();
    }
  };
}

/** `test`, `test.each`, `beforeAll` and the like: each function that they are given is limited. */
function withLimit(register: AnyFunction): AnyFunction {
  return new Proxy(register, {
    apply(target, self, args: unknown[]) {
      const isTable = Array.isArray(args[0]);
      const last = args.at(-1);
      const isSoak = expect.getState().testPath?.endsWith('.soak.js');
      const defaultMs = isSoak ? SOAK_LIMIT_MS : DEFAULT_LIMIT_MS;
      const limitMs = typeof last === 'number' ? last : defaultMs;
      const words = args.map((arg) => (!isTable && isFunction(arg) ? limited(arg, limitMs) : arg));
      const result: unknown = Reflect.apply(target, self, words);
      return isFunction(result) ? withLimit(result) : result;
    },
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver);
      return isFunction(member) ? withLimit(member) : member;
    },
  });
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

const registers = { test, beforeAll, beforeEach, afterEach, afterAll };
for (const [name, register] of Object.entries(registers))
  Object.assign(globalThis, { [name]: withLimit(register as AnyFunction) });

process.once('disconnect', () => process.exit());
