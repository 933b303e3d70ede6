/** Titles in which the number alone does not say which releases are one chapter, or what may replace a saved release. */
import type { Release, Step } from './title-history.js';

/** Releases by names such as `2.1`, for volume 2, chapter 1. */
function volumes(
  numbers: Readonly<Record<string, readonly number[]>>,
  more: Release = {},
): Readonly<Record<string, Release>> {
  return Object.fromEntries(
    Object.entries(numbers).flatMap(([volume, all]) =>
      all.map((number) => [`${volume}.${number}`, { volume, number: String(number), ...more }]),
    ),
  );
}

const TWO_VOLUMES = volumes({ 1: [1, 2], 2: [1, 2] });
const TWO_VOLUMES_SAVED = '1.1 1.2 2.1 2.2';
const NO_VOLUME = { volume: null };
const without = (releases: Readonly<Record<string, Release>>) =>
  Object.fromEntries(
    Object.entries(releases).map(([name, each]) => [name, { ...each, ...NO_VOLUME }]),
  );
const onlyVolumes = (releases: Readonly<Record<string, Release>>) =>
  Object.fromEntries(Object.entries(releases).map(([name, { volume }]) => [name, { volume }]));
const later = (releases: Readonly<Record<string, Release>>, day: number) =>
  Object.fromEntries(
    Object.entries(releases).map(([name, each], index) => [name, { ...each, day: day + index }]),
  );

const EARLY = volumes({ 1: [1, 2], 2: [3] });
const EARLY_SAVED = '1.1 1.2 2.3';
const GOOD_VOLUME = volumes({ 11: [1] }, { groups: ['Good'] });
const GOOD_FIRST = { group: ['Good'] };
const GOOD_FAST = { group: ['Good', 'Fast'] };

const FAST = { groups: ['Fast'] };
const GOOD = { groups: ['Good'] };

/** What happens to titles, in each mode. */
export const ONE_CHAPTER_ROWS: Readonly<Record<string, readonly Step[]>> = {
  'two volumes with the same numbers': [{ upload: TWO_VOLUMES, saved: TWO_VOLUMES_SAVED }],
  'the first and the tenth part of a chapter': [
    {
      upload: { first: { number: '5.1' }, tenth: { number: '5.10', ...FAST } },
      saved: 'first tenth',
    },
  ],
  'one numbering, of which two groups draw the borders of the volumes differently': [
    {
      upload: {
        ...later(volumes({ 1: [1, 2, 3], 2: [4, 5, 6] }), 20),
        other2: { number: '2', volume: '1', groups: ['Other'], day: 2 },
        other3: { number: '3', volume: '2', groups: ['Other'], day: 3 },
        other4: { number: '4', volume: '2', groups: ['Other'], day: 4 },
      },
      saved: '1.1 1.2 1.3 2.4 2.5 2.6',
      skipped: 'other3',
    },
  ],
  'a later volume that begins at 1 again': [
    { upload: EARLY, wishes: GOOD_FIRST, saved: EARLY_SAVED },
    { upload: GOOD_VOLUME, saved: `${EARLY_SAVED} 11.1` },
  ],
  'a later volume of the same group that begins at 1 again': [
    { upload: EARLY, saved: EARLY_SAVED },
    { upload: volumes({ 11: [1] }), saved: `${EARLY_SAVED} 11.1` },
  ],
  'a deleted chapter, and its number in a later volume': [
    { upload: EARLY, saved: EARLY_SAVED },
    { remove: ['1.1'], upload: volumes({ 11: [1] }), saved: `${EARLY_SAVED} 11.1` },
  ],
  'a release that was numbered wrongly when it replaced another chapter': [
    {
      upload: { fast1: { number: '1', ...FAST }, fast2: { number: '2', ...FAST } },
      wishes: GOOD_FAST,
      saved: 'fast1 fast2',
    },
    {
      upload: { good: { number: '1', ...GOOD } },
      saved: { otherwise: 'fast1 fast2 good', sync: 'fast1 fast2', upgrade: 'fast2 good' },
    },
    { edit: { good: { number: '3' } }, saved: 'fast1 fast2 good' },
  ],
  'a preferred group that changes, and changes back': [
    {
      upload: {
        fast: { number: '1', volume: '1', ...FAST },
        good: { number: '1', volume: '1', ...GOOD },
      },
      wishes: { group: ['Fast'] },
      saved: 'fast',
    },
    { wishes: GOOD_FIRST, saved: { otherwise: 'fast good', sync: 'fast', upgrade: 'good' } },
    {
      wishes: { group: ['Fast'] },
      saved: { otherwise: 'fast good', sync: 'fast', upgrade: 'fast' },
    },
    { wishes: GOOD_FIRST, saved: { otherwise: 'fast good', sync: 'fast', upgrade: 'good' } },
  ],
  'a preferred language that changes, and changes back': [
    {
      upload: { en: { number: '1' }, pt: { number: '1', language: 'pt-br' } },
      saved: 'en',
    },
    {
      wishes: { language: ['pt-br', 'en'] },
      saved: { otherwise: 'en', upgrade: 'pt' },
      skipped: { otherwise: 'pt', upgrade: '' },
    },
    { wishes: {}, saved: 'en' },
  ],
  'a part that was numbered as the next one, which comes after the correction': [
    { upload: { part3: { number: '3' }, part4: { number: '5' } }, saved: 'part3 part4' },
    { edit: { part4: { number: '4' } }, saved: 'part3 part4' },
    { upload: { part5: { number: '5' } }, saved: 'part3 part4 part5' },
  ],
  'a special and a chapter of one group with one number': [
    {
      upload: {
        ten: { number: '10', volume: '2' },
        special: { number: '10.1', volume: '2', title: 'Special' },
        real: { number: '10.1', volume: '2', title: 'The Tide' },
      },
      saved: 'real special ten',
    },
  ],
  'three extras of one group without number and title': [
    { upload: { one: {}, two: {}, three: {} }, saved: 'one three two' },
  ],
  'a group that is excluded later': [
    {
      upload: {
        bad1: { number: '1', groups: ['Bad'], day: 5 },
        bad2: { number: '2', groups: ['Bad'], day: 6 },
        fast1: { number: '1', ...FAST, day: 1 },
        fast2: { number: '2', ...FAST, day: 2 },
      },
      saved: 'bad1 bad2',
    },
    {
      wishes: { excludeGroup: ['Bad'] },
      saved: { otherwise: 'bad1 bad2', upgrade: 'fast1 fast2' },
    },
  ],
  'an excluded group that a saved release credits later': [
    {
      upload: {
        good1: { number: '1', ...GOOD, day: 5 },
        good2: { number: '2', ...GOOD, day: 6 },
        fast1: { number: '1', ...FAST, day: 1 },
        fast2: { number: '2', ...FAST, day: 2 },
      },
      wishes: { excludeGroup: ['Bad'] },
      saved: 'good1 good2',
    },
    {
      edit: { good1: { groups: ['Good', 'Bad'] } },
      saved: { otherwise: 'good1 good2', upgrade: 'fast1 good2' },
    },
  ],
  'another language': [
    {
      upload: {
        en1: { number: '1' },
        en2: { number: '2' },
        pt1: { number: '1', language: 'pt-br' },
        pt2: { number: '2', language: 'pt-br' },
      },
      saved: 'en1 en2',
    },
    {
      wishes: { language: ['pt-br'] },
      saved: { otherwise: 'en1 en2', upgrade: 'pt1 pt2' },
      skipped: { otherwise: 'pt1 pt2', upgrade: '' },
    },
  ],
  'two volumes with the same numbers, which a release in another language names': [
    {
      upload: {
        ...later(volumes({ 1: [1, 2] }), 1),
        ...later(volumes({ 2: [1, 2] }, { groups: ['Other'], volume: null }), 30),
        french1: { number: '1', volume: '1', groups: ['Fr'], language: 'fr', day: 1 },
        french2: { number: '1', volume: '2', groups: ['Fr'], language: 'fr', day: 30 },
        french3: { number: '2', volume: '2', groups: ['Fr'], language: 'fr', day: 31 },
      },
      saved: '1.1 1.2 2.1 2.2',
    },
  ],
  'a deleted chapter, and a chapter of a less preferred group with its number in the next volume': [
    {
      upload: {
        '1.1': { number: '1', volume: '1', ...GOOD },
        '1.3': { number: '3', volume: '1', ...GOOD },
        '2.4': { number: '4', volume: '2', ...GOOD },
      },
      wishes: GOOD_FIRST,
      saved: '1.1 1.3 2.4',
    },
    {
      remove: ['1.3'],
      upload: { '2.3': { number: '3', volume: '2', ...FAST } },
      saved: '1.1 1.3 2.4',
      skipped: '2.3',
    },
  ],
};

/** The same the other way round. */
export const ONE_CHAPTER_VARIANTS: Readonly<Record<string, readonly Step[]>> = {
  'two volumes with the same numbers, named later': [
    { upload: without(TWO_VOLUMES), saved: TWO_VOLUMES_SAVED },
    { edit: onlyVolumes(TWO_VOLUMES), saved: TWO_VOLUMES_SAVED },
  ],
  'two volumes with the same numbers, the second one later': [
    { upload: volumes({ 1: [1, 2] }), saved: '1.1 1.2' },
    { upload: volumes({ 2: [1] }), saved: '1.1 1.2 2.1' },
    { upload: volumes({ 2: [2] }), saved: TWO_VOLUMES_SAVED },
  ],
  'two volumes with the same numbers, the second one first': [
    {
      upload: { ...later(volumes({ 2: [1, 2] }), 1), ...later(volumes({ 1: [1, 2] }), 20) },
      saved: TWO_VOLUMES_SAVED,
    },
  ],
  'two volumes with the same numbers, and the flag later': [
    { upload: TWO_VOLUMES, saved: TWO_VOLUMES_SAVED },
    { numbersRestart: true, saved: TWO_VOLUMES_SAVED },
    { numbersRestart: false, saved: TWO_VOLUMES_SAVED },
  ],
  'two volumes with the same numbers, of which first only some are wished for': [
    { upload: TWO_VOLUMES, wishes: { chapters: '1' }, saved: '1.1 2.1' },
    { wishes: {}, saved: TWO_VOLUMES_SAVED },
  ],
  'a numbered chapter that its group uploads twice, in one volume': [
    {
      upload: {
        '1.1': { number: '1', volume: '1', day: 1 },
        again: { number: '1', volume: '1', day: 2 },
        '1.2': { number: '2', volume: '1', day: 3 },
      },
      saved: '1.2 again',
      skipped: '1.1',
    },
  ],
  'a later volume that begins at 1 again, uploaded first': [
    { upload: GOOD_VOLUME, wishes: GOOD_FIRST, saved: '11.1' },
    { upload: EARLY, saved: `${EARLY_SAVED} 11.1` },
  ],
  'a later volume that begins at 1 again, of which first only some is wished for': [
    {
      upload: { ...EARLY, ...GOOD_VOLUME },
      wishes: { ...GOOD_FIRST, chapters: '1' },
      saved: '1.1 11.1',
    },
    { wishes: GOOD_FIRST, saved: `${EARLY_SAVED} 11.1` },
  ],
  // Its group names no volume: until it does, its chapters count as those of volume 1.
  'a later volume that begins at 1 again, named later': [
    { upload: EARLY, wishes: GOOD_FIRST, saved: EARLY_SAVED },
    {
      upload: without(GOOD_VOLUME),
      saved: {
        otherwise: `${EARLY_SAVED} 11.1`,
        sync: EARLY_SAVED,
        upgrade: '1.2 11.1 2.3',
      },
      skipped: { download: '', update: '', sync: '11.1' },
    },
    { edit: onlyVolumes(GOOD_VOLUME), saved: `${EARLY_SAVED} 11.1` },
  ],
  'a later volume that begins at 1 again, and the flag later': [
    { upload: { ...EARLY, ...GOOD_VOLUME }, wishes: GOOD_FIRST, saved: `${EARLY_SAVED} 11.1` },
    { numbersRestart: true, saved: `${EARLY_SAVED} 11.1` },
  ],
  'a deleted chapter, and its number in a later volume before': [
    { upload: EARLY, saved: EARLY_SAVED },
    { upload: volumes({ 11: [1] }), saved: `${EARLY_SAVED} 11.1` },
    { remove: ['1.1'], saved: `${EARLY_SAVED} 11.1` },
  ],
  'a deleted chapter, and its number in a later volume long after': [
    { upload: EARLY, saved: EARLY_SAVED },
    { remove: ['1.1'], saved: EARLY_SAVED },
    { upload: volumes({ 11: [1] }), saved: `${EARLY_SAVED} 11.1` },
  ],
  'a deleted title, and a later volume of a preferred group': [
    { upload: volumes({ 1: [1, 2] }), wishes: GOOD_FIRST, saved: '1.1 1.2' },
    { remove: ['1.1', '1.2'], upload: GOOD_VOLUME, saved: '1.1 1.2 11.1' },
  ],
  'a release that was numbered wrongly, and corrected before a run': [
    {
      upload: { fast1: { number: '1', ...FAST }, fast2: { number: '2', ...FAST } },
      wishes: GOOD_FAST,
      saved: 'fast1 fast2',
    },
    {
      upload: { good: { number: '1', ...GOOD } },
      edit: { good: { number: '3' } },
      saved: 'fast1 fast2 good',
    },
  ],
  'a part that was numbered as the next one, which comes with the correction': [
    { upload: { part3: { number: '3' }, part4: { number: '5' } }, saved: 'part3 part4' },
    {
      edit: { part4: { number: '4' } },
      upload: { part5: { number: '5' } },
      saved: 'part3 part4 part5',
    },
  ],
  'a part that was numbered as the next one, which comes before the correction': [
    { upload: { part3: { number: '3' }, part4: { number: '5' } }, saved: 'part3 part4' },
    { upload: { part5: { number: '5' } }, saved: 'part3 part4 part5' },
    { edit: { part4: { number: '4' } }, saved: 'part3 part4 part5' },
  ],
  'a part that was numbered as the next one, in a volume': [
    {
      upload: { part3: { number: '3', volume: '1' }, part4: { number: '5', volume: '1' } },
      saved: 'part3 part4',
    },
    {
      edit: { part4: { number: '4' } },
      upload: { part5: { number: '5', volume: '1' } },
      saved: 'part3 part4 part5',
    },
  ],
  'a special and a chapter of one group with one number, of which one has no title': [
    {
      upload: { special: { number: '10.1', title: 'Special' }, real: { number: '10.1' } },
      saved: 'real special',
    },
  ],
  'a special and a chapter of one group with one number, one later, whose title is edited': [
    { upload: { special: { number: '10.1', volume: '2', title: 'Special' } }, saved: 'special' },
    {
      upload: { real: { number: '10.1', volume: '2', title: 'The Tide' } },
      saved: 'real special',
    },
    { edit: { special: { title: 'The Tide' } }, saved: 'real special' },
  ],
  'a special and a chapter of one group with one number, and another release of the special': [
    {
      upload: {
        special: { number: '10.1', title: 'Special', day: 5 },
        real: { number: '10.1', title: 'The Tide', day: 6 },
        other: { number: '10.1', title: 'special ', groups: ['Other'], day: 1 },
      },
      saved: 'real special',
    },
  ],
  'three extras of one group without number and title, one of them later': [
    { upload: { one: {}, two: {} }, saved: 'one two' },
    { upload: { three: {} }, saved: 'one three two' },
    { edit: { two: { title: 'Fog' } }, saved: 'one three two' },
  ],
  'a group that is excluded before another one has its chapter': [
    { upload: { bad1: { number: '1', groups: ['Bad'] } }, saved: 'bad1' },
    { wishes: { excludeGroup: ['Bad'] }, saved: 'bad1' },
    { upload: { fast1: { number: '1', ...FAST } }, saved: { otherwise: 'bad1', upgrade: 'fast1' } },
  ],
  'another language, in which a release comes later': [
    { upload: { en1: { number: '1' }, en2: { number: '2' } }, saved: 'en1 en2' },
    {
      upload: { pt1: { number: '1', language: 'pt-br' } },
      wishes: { language: ['pt-br'] },
      saved: { otherwise: 'en1 en2', upgrade: 'en2 pt1' },
      skipped: { otherwise: 'pt1', upgrade: '' },
    },
    {
      upload: { pt2: { number: '2', language: 'pt-br' } },
      saved: { otherwise: 'en1 en2', upgrade: 'pt1 pt2' },
      skipped: { otherwise: 'pt1 pt2', sync: 'pt2', upgrade: '' },
    },
  ],
};
