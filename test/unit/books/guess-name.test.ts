import fc from 'fast-check';
import {
  guessFolder,
  guessName,
  type GuessedFolder,
  type GuessedName,
} from '../../../src/books/guess-name.js';

const UUID = '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';

/** The names that each program gives, with the file of its repository that gives them. */
const NAMES: Readonly<Record<string, readonly (readonly [string, GuessedName])[]>> = {
  // The folder of a chapter; its ZIP and CBZ files are named after it (gallery_dl/postprocessor/zip.py).
  'mikf/gallery-dl gallery_dl/extractor/mangadex.py': [
    ['v01 c001: The Storm', { volume: '1', number: '1', title: 'The Storm' }],
    ['v01 c001_ The Storm', { volume: '1', number: '1', title: 'The Storm' }],
    ['c010.5', { number: '10.5' }],
    ['c000: Oneshot', { number: '0', title: 'Oneshot' }],
    ['Endless_Stairs_c007_012', { series: 'Endless Stairs', number: '7', title: '012' }],
  ],
  // The group and the title are options (filename_chapter in config/config.py).
  'mansuf/mangadex-downloader mangadex_downloader/chapter.py': [
    ['Vol. 1 Ch. 1', { volume: '1', number: '1' }],
    ['Ch. 10.5', { number: '10.5' }],
    ['Volume. 1 Chapter. 2', { volume: '1', number: '2' }],
    [
      '[A & B] Vol. 1 Ch. 1 - 100 Days',
      { volume: '1', number: '1', title: '100 Days', group: 'A & B' },
    ],
    ['Ch. 3 Oneshot', { number: '3', title: 'Oneshot' }],
    ['Oneshot', { title: 'Oneshot' }],
    ['Vol. 2', { volume: '2' }],
    ['Vol. 1 Ch. 1 - Vol. 2 Ch. 8', { volume: '1', number: '1', lastNumber: '8' }],
  ],
  // A `(1)` is added where the name is taken, and `|` becomes `-` (filekit/filekit.go).
  'arimatakao/mdx internal/mdx/filename.go': [
    [
      '[en Night Owls] Endless Stairs vol. 1 ch. 10.5',
      {
        series: 'Endless Stairs',
        volume: '1',
        number: '10.5',
        language: 'en',
        group: 'Night Owls',
      },
    ],
    [
      '[pt-br ] Endless Stairs vol.  ch. 2 (1)',
      { series: 'Endless Stairs', number: '2', language: 'pt-br' },
    ],
    [
      '[en Owls] Endless Stairs ch. 1-8',
      { series: 'Endless Stairs', number: '1', lastNumber: '8', language: 'en', group: 'Owls' },
    ],
    [
      '[en] Endless Stairs - vol. 1 - ch. 1-8',
      { series: 'Endless Stairs', volume: '1', number: '1', lastNumber: '8', language: 'en' },
    ],
  ],
  // The name of a chapter is the extension's: keiyoushi/extensions-source src/all/mangadex/…/MangaDexHelper.kt.
  'mihonapp/mihon app/src/main/java/eu/kanade/tachiyomi/data/download/DownloadProvider.kt': [
    [
      'Night Owls_Vol.1 Ch.2 - A_B (x)_0a1b2c',
      { volume: '1', number: '2', title: 'A B (x)', group: 'Night Owls', pathDigest: '0a1b2c' },
    ],
    ['No Group_Ch.10.5_0a1b2c', { number: '10.5', group: 'No Group', pathDigest: '0a1b2c' }],
    ['A & B_Oneshot', { title: 'Oneshot', group: 'A & B' }],
    ['A & B_Oneshot_0a1b2c', { title: 'Oneshot', group: 'A & B', pathDigest: '0a1b2c' }],
    ['Vol.1 Ch.2_0a1b2c', { volume: '1', number: '2', pathDigest: '0a1b2c' }],
  ],
  'Suwayomi/Suwayomi-Server server/src/main/kotlin/suwayomi/tachidesk/manga/impl/util/DirName.kt': [
    [
      'Night Owls_Vol.1 Ch.2 - The Storm',
      { volume: '1', number: '2', title: 'The Storm', group: 'Night Owls' },
    ],
    ['Owls_Ch.5', { number: '5', group: 'Owls' }],
  ],
  // The scheme is `%M - ?V(Vol.%V )Ch.%C?T( - %T)` (API/TrangaSettings.cs).
  'C9Glax/tranga API/Schema/MangaContext/Chapter.cs': [
    [
      'Endless Stairs - Vol.1 Ch.2.5 - 7 Days',
      { series: 'Endless Stairs', volume: '1', number: '2.5', title: '7 Days' },
    ],
    ['Sea 2 - Ch.3', { series: 'Sea 2', number: '3' }],
  ],
  // `[{padded-index}] {chapter}`, with other characters than these replaced; the chapter's name is that of
  // metafates/mangal provider/mangadex/chapters.go. The index counts files, not chapters.
  'oae/kaizoku src/server/utils/mangal.ts': [
    ['[0012]_Chapter_10.5_-_The_Storm', { number: '10.5', title: 'The Storm' }],
    ['[0001]_Chapter_1', { number: '1' }],
  ],
  // Numbers may be ranges there.
  'manga-download/hakuneko src/web/mjs/connectors/MangaDex.mjs': [
    [
      'Vol.01 Ch.0004 - Fog (pt-br) [A, B]',
      { volume: '1', number: '4', title: 'Fog', language: 'pt-br', group: 'A, B' },
    ],
    ['Ch.0017-17.5 (en) [A]', { number: '17', lastNumber: '17.5', language: 'en', group: 'A' }],
    ['Oneshot (en) [A]', { title: 'Oneshot', language: 'en', group: 'A' }],
  ],
  'Kareadita/Kavita API.Tests/Parsing/MangaParsingTests.cs, and names of people': [
    [
      'Tenjou_Tenge_v17_c100[MT]',
      { series: 'Tenjou Tenge', volume: '17', number: '100', group: 'MT' },
    ],
    ['Beelzebub_c001-008', { series: 'Beelzebub', number: '1', lastNumber: '8' }],
    ['Vol-1', { volume: '1' }],
    ['Lighthouse - c002 [Owls]', { series: 'Lighthouse', number: '2', group: 'Owls' }],
    [
      'Lighthouse - c007 (v02) [Owls]',
      { series: 'Lighthouse', volume: '2', number: '7', group: 'Owls' },
    ],
    [
      'Lighthouse c007 (v02) - Storm',
      { series: 'Lighthouse', volume: '2', number: '7', title: 'Storm' },
    ],
    [
      'Lighthouse Vol.02 Ch.010.5 - Storm [Owls]',
      { series: 'Lighthouse', volume: '2', number: '10.5', title: 'Storm', group: 'Owls' },
    ],
    ['Lighthouse v02 c010', { series: 'Lighthouse', volume: '2', number: '10' }],
    ['Lighthouse - Chapter 7', { series: 'Lighthouse', number: '7' }],
    ['[Owls] Lighthouse Volume 3', { series: 'Lighthouse', volume: '3', group: 'Owls' }],
    ['Lighthouse 012', { series: 'Lighthouse', number: '12' }],
    ['Lighthouse 012 [Owls]', { series: 'Lighthouse', number: '12', group: 'Owls' }],
    ['Light_house_ch_3', { series: 'Light house', number: '3' }],
    ['Vol.01 Ch.004', { volume: '1', number: '4' }],
    // The built-in names of tankobon.
    [
      'Lighthouse Ch.010.5 Vol.02 - Storm [Owls]',
      { series: 'Lighthouse', volume: '2', number: '10.5', title: 'Storm', group: 'Owls' },
    ],
    ['Lighthouse Vol.TBD Ch.011', { series: 'Lighthouse', number: '11' }],
    ['Vol.TBD Ch.011 - Storm', { number: '11', title: 'Storm' }],
    ['Lighthouse', { title: 'Lighthouse' }],
    [UUID, { uuid: UUID }],
    [`Lighthouse c001 ${UUID}`, { series: 'Lighthouse', number: '1', uuid: UUID }],
  ],
};

describe.each(Object.entries(NAMES))('%s', (_source, names) => {
  test.each(names)('%s', (name, expected) => {
    expect(guessName(name)).toEqual(expected);
  });
});

describe('any name', () => {
  const parts = fc.constantFrom(
    ...['v1', 'c2', 'Vol. ', 'Ch.', '_', '[', ']', '(en)', ' - ', '-', '0', '.5', '|', UUID, 'a'],
    ...['第', '7話', '#', ':', ',', '½', '2024', 'S2', 'extra', ' ', '１', '–', '(', 'Episode 3'],
    ...[' part 2', '(1of2)', '_5', '[S2] ', '[Season 1]', 'S3 - ', ' - v6 - '],
  );
  const names = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(parts, { maxLength: 40 }).map((all) => all.join('')),
  );

  test('gives numbers that are numbers, and texts that are not empty, each time the same', () => {
    fc.assert(
      fc.property(names, names, (name, series) => {
        const guessed = guessName(name, [series]);
        expect(guessName(name, [series])).toEqual(guessed);
        const { volume, lastVolume, number, lastNumber, partNumber, ...others } = guessed;
        const { possibleNumbers = [], ...texts } = others;
        const numbers = [volume, lastVolume, number, lastNumber, partNumber, ...possibleNumbers]
          .filter((each) => each !== undefined)
          .flatMap((each) => each.split('-'));
        expect(numbers.filter((each) => !/^\d+(\.\d+)?[a-z]?$/i.test(each))).toEqual([]);
        expect(Object.values(texts).filter((each) => each.trim() !== each || each === '')).toEqual(
          [],
        );
        expect(number === undefined || guessed.possibleNumbers === undefined).toBe(true);
      }),
    );
  });

  test('takes time in proportion to a bounded length', () => {
    const parts = ['_', '[', ' ', '_Ch.1 ', '(en', ' - c1', '[a] ', '0', '1-', '1 - ', '#1 ', '½'];
    for (const part of [
      ...parts,
      'Vol.1',
      '第1話',
      '(1',
      '[1]',
      'a',
      '. ',
      'Ch.1 - ',
      ' 1',
      '-',
      ' part 1',
      '1of1',
      '[S2]',
    ])
      expect(guessName(part.repeat(100_000), [part.repeat(1000)]).uuid).toBeUndefined();
  });
});

describe('a folder', () => {
  test.each<[string, GuessedFolder]>([
    ['Sea', { series: 'Sea' }],
    ['Sea/Vol. 2', { series: 'Sea', volume: '2' }],
    ['Sea/Vol. 1-3', { series: 'Sea' }],
    ['Sea/Volume 1 - The Fog', { series: 'Sea', volume: '1' }],
    ['Sea/Volume 01 (Digital) (danke)', { series: 'Sea', volume: '1' }],
    ['Sea/Vol.1 (2020)', { series: 'Sea', volume: '1' }],
    ['Sea/[danke] Volume 1', { series: 'Sea', volume: '1' }],
    ['Sea/Sea - Volume 1', { series: 'Sea', volume: '1' }],
    ['Sea/Sea v01', { series: 'Sea', volume: '1' }],
    ['Sea (2020)/Sea v01 (2020) (Digital)', { series: 'Sea (2020)', volume: '1' }],
    ['Sea 2/Sea 2 v01', { series: 'Sea 2', volume: '1' }],
    ['Sea/English/Sea v01', { series: 'Sea', volume: '1', language: 'en' }],
    ['Sea/No Volume', { series: 'Sea' }],
    ['Sea/Vol. TBD', { series: 'Sea' }],
    ['Sea/Chapters', { series: 'Sea' }],
    ['Sea/Completed/Manga/CBZ/Scans', { series: 'Sea' }],
    ['Sea/Japanese', { series: 'Sea', language: 'ja' }],
    ['Sea/Season 1/Vol. 2', { series: 'Sea', volume: '2' }],
    // The numbers of these may begin again.
    ['Sea/Season 2/Vol. 1', { series: 'Sea Season 2', mainSeries: 'Sea', volume: '1' }],
    ['Sea/Specials', { series: 'Sea Specials', mainSeries: 'Sea' }],
    ['Sea/S2/Extras', { series: 'Sea S2 Extras', mainSeries: 'Sea' }],
    // These may be other series.
    ['Sea/Fog v01', { series: 'Fog v01' }],
    ['Sea/Sea 2 v01', { series: 'Sea 2 v01' }],
    ['Sea/Sea 2', { series: 'Sea 2' }],
    ['Sea/Special A', { series: 'Special A' }],
    ['Sea/Eng', { series: 'Eng' }],
  ])('%s', (path, expected) => {
    expect(guessFolder(`/comics/${path}`)).toEqual(expected);
  });

  test('a path of such names alone ends', () => {
    expect(guessFolder('/')).toEqual({ series: '' });
    expect(guessFolder('/Manga')).toEqual({ series: 'Manga' });
    expect(guessFolder('/Vol. 1')).toEqual({ series: 'Vol. 1' });
    expect(guessFolder(`/Sea${'/Scans'.repeat(1_000)}`)).toEqual({ series: 'Scans' });
  });
});
