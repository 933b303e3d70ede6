import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  MAX_AGE_MS,
  MAX_SPOOLED,
  Spool,
  type LockedReport,
} from '../../../src/health-reports/spool.js';
import { temporaryName } from '../../../src/core/files.js';
import { leftFile } from '../../support/left-file.js';
import { numberOf, reportNo } from '../../support/report-listener.js';
import { posixTest } from '../../support/platform.js';

const NOW_MS = Date.UTC(2026, 5, 1);
let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'tankobon-spool-')), 'spool');
});
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

/** The name of a file that another run left. */
function nameOf(number: number, atMs = NOW_MS): string {
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  return `${digits(atMs, 15)}-0123456789ab-${digits(number, 8)}.json`;
}

function put(name: string, content: string | Uint8Array): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, name), content, { mode: 0o600 });
}

const held = (claimed: LockedReport | 'damaged' | undefined): LockedReport => {
  if (claimed === undefined || claimed === 'damaged')
    throw new Error(`Claimed: ${String(claimed)}`);
  return claimed;
};

posixTest('a report is one private file, which is deleted when the report is removed', async () => {
  const report = await new Spool(folder).add(reportNo(1), NOW_MS);
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(name).toMatch(/^\d{15}-[0-9a-f]{12}-\d{8}\.json$/);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const spool = new Spool(folder);
  report.remove();
  expect(spool.names()).toEqual([]);
  expect(await spool.claim(name)).toBeUndefined();
});

test('a report is held by one process until it is released', async () => {
  const first = await new Spool(folder).add(reportNo(1), NOW_MS);
  const other = new Spool(folder);
  const [name = ''] = other.names();
  expect(await other.claim(name)).toBeUndefined();
  first.release();
  const second = held(await other.claim(name));
  expect(second.report).toEqual(reportNo(1));
  expect(second.isOwn).toBe(false);
  expect(await new Spool(folder).claim(name)).toBeUndefined();
  second.remove();
  expect(await new Spool(folder).claim(name)).toBeUndefined();
});

test('removing or releasing twice has no further effect', async () => {
  const spool = new Spool(folder);
  const first = await spool.add(reportNo(1), NOW_MS);
  first.remove();
  const second = await spool.add(reportNo(2), NOW_MS);
  first.release();
  first.remove();
  const [name = ''] = spool.names();
  expect(await new Spool(folder).claim(name)).toBeUndefined();
  second.release();
  expect(held(await new Spool(folder).claim(name)).report).toEqual(reportNo(2));
});

test('several spools in any order remove each report exactly once', async () => {
  const step = fc.record({
    spool: fc.nat(2),
    act: fc.constantFrom('add', 'claim', 'release', 'remove'),
    pick: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      rmSync(folder, { recursive: true, force: true });
      const spools = [new Spool(folder), new Spool(folder), new Spool(folder)].map((spool) => ({
        spool,
        holds: [] as LockedReport[],
      }));
      let added = 0;
      const removed: number[] = [];
      const remove = (report: LockedReport): void => {
        removed.push(numberOf(report.report));
        report.remove();
      };
      for (const { spool: which, act, pick } of steps) {
        const one = spools[which];
        if (!one) continue;
        if (act === 'add') one.holds.push(await one.spool.add(reportNo((added += 1)), NOW_MS));
        if (act === 'release') one.holds.splice(pick, 1)[0]?.release();
        if (act === 'remove') one.holds.splice(pick, 1).forEach(remove);
        if (act === 'claim') {
          const names = one.spool.names();
          const claimed = await one.spool.claim(names[pick % (names.length || 1)] ?? '');
          if (claimed) one.holds.push(held(claimed));
        }
      }
      for (const { holds } of spools) for (const report of holds) report.release();
      const last = new Spool(folder);
      for (const name of last.names()) remove(held(await last.claim(name)));
      expect(removed.sort((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, n) => n + 1));
      expect(last.names()).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

describe('foreign files in the spool', () => {
  test('a damaged file is dropped, and the others are kept', async () => {
    const wrong = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string().map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      fc.nat(80).map((length) => Buffer.from(JSON.stringify(reportNo(1)).slice(0, length))),
    );
    await fc.assert(
      fc.asyncProperty(wrong, async (content) => {
        put(nameOf(1), JSON.stringify(reportNo(1)));
        put(nameOf(2), content);
        put(nameOf(3), JSON.stringify(reportNo(3)));
        const spool = new Spool(folder);
        const claimed: (LockedReport | 'damaged' | undefined)[] = [];
        for (const name of spool.names()) claimed.push(await spool.claim(name));
        expect(claimed[1]).toBe('damaged');
        expect([claimed[0], claimed[2]].map((one) => numberOf(held(one).report))).toEqual([1, 3]);
        expect(readdirSync(folder)).toEqual([nameOf(1), nameOf(3)]);
        for (const one of claimed) if (one !== 'damaged') one?.release();
      }),
      { numRuns: 100 },
    );
  });

  test('a file that is too large is dropped without being read', async () => {
    put(nameOf(1), ' '.repeat(70_000) + JSON.stringify(reportNo(1)));
    expect(await new Spool(folder).claim(nameOf(1))).toBe('damaged');
  });

  posixTest(
    'links, pipes, folders and files of other names are neither read nor removed',
    async () => {
      put('secret.json', JSON.stringify(reportNo(9)));
      put(`.${nameOf(1)}`, 'x');
      put(`${nameOf(1)}.bak`, 'x');
      symlinkSync('secret.json', join(folder, nameOf(2, 0)));
      execFileSync('mkfifo', [join(folder, nameOf(3, 0))]);
      mkdirSync(join(folder, nameOf(4, 0)));
      const before = readdirSync(folder);
      const spool = new Spool(folder);
      expect(spool.names()).toEqual([]);
      expect(spool.isEmpty()).toBe(true);
      expect(spool.list(NOW_MS)).toEqual({ waiting: [], dropped: [] });
      for (const number of [2, 3, 4]) expect(await spool.claim(nameOf(number, 0))).toBeUndefined();
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  posixTest('a link in place of the folder is not used', async () => {
    mkdirSync(join(folder, '..', 'elsewhere'));
    symlinkSync('elsewhere', folder);
    await expect(new Spool(folder).add(reportNo(1), NOW_MS)).rejects.toMatchObject({
      code: 'unsafe-path',
    });
    expect(readdirSync(join(folder, '..', 'elsewhere'))).toEqual([]);
  });

  test('the number of files listed and removed at a time is bounded', () => {
    put(nameOf(0), JSON.stringify(reportNo(0)));
    for (let number = 1; number < 25_000; number += 1) {
      linkSync(join(folder, nameOf(0)), join(folder, nameOf(number)));
    }
    const { waiting, dropped } = new Spool(folder).list(NOW_MS);
    expect(waiting.length).toBeLessThanOrEqual(MAX_SPOOLED);
    expect(dropped.length).toBe(1_000);
  });
});

describe('age', () => {
  test('a report of more than 24 hours is removed when the spool is listed', () => {
    put(nameOf(1, NOW_MS - MAX_AGE_MS - 1), JSON.stringify(reportNo(1)));
    put(nameOf(2, NOW_MS - MAX_AGE_MS), JSON.stringify(reportNo(2)));
    expect(new Spool(folder).list(NOW_MS)).toEqual({
      waiting: [nameOf(2, NOW_MS - MAX_AGE_MS)],
      dropped: [{ name: nameOf(1, NOW_MS - MAX_AGE_MS - 1), reason: 'too old' }],
    });
  });

  test('a clock that was set back costs no report', () => {
    put(nameOf(1), JSON.stringify(reportNo(1)));
    expect(new Spool(folder).list(NOW_MS - 365 * MAX_AGE_MS).waiting).toEqual([nameOf(1)]);
    expect(new Spool(folder).list(0).waiting).toEqual([nameOf(1)]);
  });

  test('a temporary file of a killed process is not sent, and is removed; that of a living one stays', () => {
    const inUse = basename(temporaryName(join(folder, nameOf(2))));
    put(basename(leftFile(join(folder, nameOf(1)))), JSON.stringify(reportNo(1)));
    put(inUse, JSON.stringify(reportNo(2)));
    const spool = new Spool(folder);
    expect(spool.names()).toEqual([]);
    expect(spool.list(NOW_MS)).toEqual({ waiting: [], dropped: [] });
    expect(readdirSync(folder)).toEqual([inUse]);
  });
});
