/** Which chapter a file is, in titles with thousands of releases. */
import type { AdoptableFile } from '../../../src/collection/adoptable-files.js';
import { matchName, titleReleases } from '../../../src/collection/match-names.js';
import { guessName } from '../../../src/books/guess-name.js';
import type { Chapter } from '../../../src/service/chapters.js';
import type { Title } from '../../../src/service/titles.js';

const title = { id: 'title', names: ['Long'], numbersRestart: false } as unknown as Title;

function fileNamed(baseName: string): AdoptableFile {
  return {
    ...{ file: `/manga/Long/${baseName}.cbz`, isFolder: false, state: undefined, pages: 20 },
    ...{ images: [], baseName, name: guessName(baseName, ['Long']), folder: { series: 'Long' } },
    ...{ comicInfo: {}, hasComicInfo: false, hasBrokenMetadata: false },
    ...{ chapterId: undefined, titleId: undefined, sourceLanguage: undefined },
  };
}

/** Releases that count how often their numbers are read. */
function countedReleases(count: number) {
  const found = { releases: [] as Chapter[], reads: 0 };
  for (let index = 1; index <= count; index += 1) {
    const others = { id: `chapter ${index}`, volume: undefined, pages: 20, groups: [] };
    const release = { ...others, externalUrl: undefined, language: 'en' };
    Object.defineProperty(release, 'number', {
      get: () => {
        found.reads += 1;
        return String(index);
      },
    });
    found.releases.push(release as unknown as Chapter);
  }
  return found;
}

test('a file is compared with the releases of its number, not with all of its title', () => {
  const counted = countedReleases(1_000);
  const listed = titleReleases(title, counted.releases);
  counted.reads = 0;
  for (const number of [1, 500, 1_000]) {
    const match = matchName(fileNamed(`Long ch. ${number}`), [listed], []);
    expect(match).toMatchObject({ candidate: { chapter: { id: `chapter ${number}` } } });
  }
  expect(counted.reads).toBeLessThan(20);
});

test('a number that no release has names no chapter, nor one without a number', () => {
  const { releases } = countedReleases(3);
  const oneshot = { ...releases[0], id: 'oneshot', number: undefined, title: 'Fog' } as Chapter;
  const listed = titleReleases(title, [...releases, oneshot]);
  expect(matchName(fileNamed('Long ch. 7'), [listed], [])).toEqual({
    reason: 'no-chapter',
    candidates: [],
  });
  const named = matchName(fileNamed('Long - Fog'), [listed], []);
  expect(named).toMatchObject({ candidate: { chapter: { id: 'oneshot' } } });
});

test('a file is not taken for an external release, which has no pages', () => {
  const { releases } = countedReleases(1);
  const external = { ...releases[0], number: '1', externalUrl: 'https://example.org', pages: 0 };
  const listed = titleReleases(title, [external as unknown as Chapter]);
  expect(matchName(fileNamed('Long ch. 1'), [listed], [])).toMatchObject({ reason: 'no-chapter' });
});
