/** Which releases are taken over time: waiting for a group, replacing, exclusions. */
import { replacedRelease } from '../../../src/plan/change.js';
import fc from 'fast-check';
import type { Chapter } from '../../../src/service/chapters.js';
import { decide as decideAll } from '../../../src/plan/decide.js';
import { chapterKeys } from '../../../src/selection/same-chapter.js';
import { releaseDecisions } from '../../../src/sync/release-decisions.js';
import {
  selectReleases,
  toDecisionOptions,
  type ReleaseRules,
} from '../../../src/sync/sync-request.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 5, 15);
const RULES: ReleaseRules = {
  selection: { languages: ['en'], groups: ['Preferred', 'Second'] },
  waitForGroupMs: 2 * DAY_MS,
  upgrade: false,
  excludedGroups: [],
  excludedUploaders: [],
  blocked: undefined,
  onlyGroup: undefined,
  keepLatest: undefined,
  keepUnread: undefined,
  sinceMs: undefined,
};

/** A release of chapter 7 by `group`, readable `agoMs` before now. */
function release(group: string, agoMs: number, change: Partial<Chapter> = {}): Chapter {
  const at = new Date(NOW_MS - agoMs);
  return {
    id: `${group} ${change.number ?? '7'} ${change.language ?? 'en'}`,
    number: '7',
    volume: undefined,
    title: undefined,
    language: 'en',
    pages: 20,
    externalUrl: undefined,
    isUnavailable: false,
    version: 1,
    publishAt: at,
    readableAt: at,
    createdAt: at,
    groups: [{ id: `id of ${group}`, name: group }],
    titleId: 'a title',
    partialTitle: undefined,
    ...change,
  };
}

function decide(
  releases: readonly Chapter[],
  change: Partial<ReleaseRules> = {},
  had: readonly Chapter[] = [],
  state: 'saved' | 'recorded' = 'saved',
) {
  const rules = { ...RULES, ...change };
  const keys = chapterKeys(releases, { nowMs: NOW_MS, numbersRestart: false });
  const known = { keys, unlisted: [], earlier: [], movedIds: new Set<string>(), movedFiles: [] };
  const title = { ...selectReleases(releases, known, rules, NOW_MS), uploads: [] };
  const isHad = (id: string) => had.some((chapter) => chapter.id === id);
  const find = (chapterId: string) =>
    state === 'saved' && isHad(chapterId)
      ? { chapterId, file: 'a.cbz', ownership: 'own' as const, isBound: false }
      : undefined;
  const files = { library: { find, findDamaged: () => undefined }, history: { has: isHad } };
  const decided = decideAll(
    { named: [], titles: [title] },
    toDecisionOptions(rules, NOW_MS),
    files,
  );
  const decisions = releaseDecisions(decided, title, [], new Set());
  return {
    ...decided,
    ...decisions,
    planned: decisions.planned.map((each) => [each.release.id, replacedRelease(each)]),
    waiting: decisions.waiting.map(({ release: { id }, untilMs }) => [id, untilMs - NOW_MS]),
    external: decisions.skipped.flatMap(({ id, reason }) =>
      reason === 'chapter-external' ? [id] : [],
    ),
  };
}

describe('waiting for the preferred group', () => {
  test('another group waits until two days after the first release', () => {
    const second = release('Second', 30 * HOUR_MS);
    const other = release('Other', 40 * HOUR_MS);
    expect(decide([second, other])).toMatchObject({
      planned: [],
      waiting: [[second.id, 8 * HOUR_MS]],
      againAtMs: NOW_MS + 8 * HOUR_MS,
    });
    expect(decide([second, release('Other', 48 * HOUR_MS)])).toMatchObject({
      planned: [[second.id, undefined]],
      waiting: [],
      againAtMs: undefined,
    });
  });

  test('the preferred group does not wait, nor does anything without groups or a wait', () => {
    const preferred = release('preferred ', 0);
    expect(decide([preferred, release('Other', HOUR_MS)]).planned).toEqual([
      [preferred.id, undefined],
    ]);
    const other = release('Other', 0);
    expect(decide([other], { waitForGroupMs: 0 }).planned).toHaveLength(1);
    expect(decide([other], { selection: { languages: ['en'], groups: [] } }).planned).toHaveLength(
      1,
    );
  });

  test('a release in another language does not start the wait', () => {
    const other = release('Other', HOUR_MS);
    const spanish = release('Other', 10 * DAY_MS, { language: 'es' });
    expect(decide([spanish, other]).waiting).toEqual([[other.id, 47 * HOUR_MS]]);
  });
});

describe('a better release that comes later', () => {
  const second = release('Second', DAY_MS);
  const preferred = release('Preferred', 0);

  test('is not loaded for a chapter whose file the owner removed', () => {
    const both = [second, preferred];
    for (const upgrade of [false, true])
      expect(decide(both, { upgrade }, [second], 'recorded')).toMatchObject({
        planned: [],
        withoutFile: [preferred],
      });
  });
});

describe('what is left out', () => {
  test('excluded groups by name or id, and excluded uploaders', () => {
    const unwanted = release('Preferred', DAY_MS, { uploaderId: 'an-uploader' });
    const second = release('Second', 3 * DAY_MS);
    for (const change of [
      { excludedGroups: ['preferred'] },
      { excludedGroups: ['ID of Preferred'] },
      { excludedUploaders: ['AN-UPLOADER'] },
    ])
      expect(decide([unwanted, second], change).planned).toEqual([[second.id, undefined]]);
  });

  test('a chapter on another site is listed, unless a release of it is here', () => {
    const external = release('Official', 0, { externalUrl: 'https://example.org', pages: 0 });
    expect(decide([external])).toMatchObject({ planned: [], external: [external.id] });
    const here = release('Preferred', 0);
    expect(decide([external, here]).external).toEqual([]);
    expect(decide([external, here], {}, [here]).external).toEqual([]);
  });

  test('what was readable before `sinceMs` counts as known, also another release of it', () => {
    const old = release('Other', 10 * DAY_MS);
    const late = release('Preferred', 0);
    const next = release('Preferred', 0, { number: '8' });
    const sinceMs = NOW_MS - DAY_MS;
    expect(decide([old, late, next], { sinceMs, upgrade: true })).toMatchObject({
      planned: [[next.id, undefined]],
      known: 1,
    });
  });

  test('an unpublished chapter is decided again when it is published', () => {
    expect(decide([release('Preferred', -3 * HOUR_MS)])).toMatchObject({
      planned: [],
      againAtMs: NOW_MS + 3 * HOUR_MS,
    });
  });
});

test('repeated after its downloads, a decision takes nothing more, and each number at most once', () => {
  const groups = fc.constantFrom('Preferred', 'Second', 'Other');
  const releases = fc
    .uniqueArray(
      fc.record({
        group: groups,
        agoMs: fc.integer({ min: -DAY_MS, max: 5 * DAY_MS }),
        number: fc.constantFrom('1', '1.0', '2', '10.5', undefined),
        language: fc.constantFrom('en', 'fr'),
      }),
      {
        maxLength: 20,
        selector: (it) => JSON.stringify([it.group, Number(it.number), it.language]),
      },
    )
    .map((all) =>
      all.map(({ group, agoMs, ...rest }, index) =>
        release(group, agoMs, { ...rest, id: `${index}` }),
      ),
    );
  fc.assert(
    fc.property(releases, fc.boolean(), (all, upgrade) => {
      const first = decide(all, { upgrade });
      const taken = all.filter(({ id }) => first.planned.some(([planned]) => planned === id));
      const numbers = taken.map(({ number }) => Number(number));
      expect(new Set(numbers).size).toBe(numbers.length);
      const second = decide(all, { upgrade }, taken);
      expect(second.planned).toEqual([]);
      expect(second.waiting).toEqual(first.waiting);
    }),
    { numRuns: 200 },
  );
});
