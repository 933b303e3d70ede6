/**
 * Every parser that reads what the service sends, fed with right answers that were tampered with and with plain
 * noise: each gives a value or one of our errors, and nothing else ever. `TANKOBON_FUZZ_CASES` says how many.
 */
import fc from 'fast-check';
import { ZodError } from 'zod';
import { comicInfoXml, comicMetadata } from '../../src/library/comic-info.js';
import { builtInTemplate } from '../../src/config/names.js';
import { imageExtension } from '../../src/core/image-format.js';
import { hasValidTrailer } from '../../src/core/image-trailer.js';
import { imageDimensions } from '../../src/core/image-dimensions.js';
import { tokenError, parseTokens } from '../../src/service/login/token-endpoint.js';
import {
  chapterEntity,
  collection,
  coverEntity,
  listEntity,
  single,
  titleEntity,
} from '../../src/service/catalogue/response-schemas.js';
import { toChapter } from '../../src/service/chapters.js';
import { nameValues } from '../../src/download/planning/comic-metadata.js';
import { toTitle } from '../../src/service/titles.js';
import { fetchAtHomeMetadata, pageFileNames, pageUrl } from '../../src/service/at-home.js';
import { TankobonError } from '../../src/core/errors.js';
import type { ApiRequest, ServiceClient } from '../../src/service/client.js';
import {
  errorReasons,
  findCaptchaChallenge,
  isApiError,
} from '../../src/service/requests/api-errors.js';
import { jsonValue } from '../../src/service/requests/send-request.js';
import { readRateHeaders } from '../../src/service/permits/rate-headers.js';
import { retryAfterMs } from '../../src/core/retry-delay.js';
import { codePoint } from '../support/any-text.js';

const NAMING = { titleLanguage: undefined };

const numRuns = Number(process.env['TANKOBON_FUZZ_CASES'] ?? 100);
const TIMEOUT_MS = 300_000;

/** What no honest service writes, and what it might by mistake. */
const odd = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: codePoint }),
  fc.constantFrom(
    '../../x',
    '\u0000',
    '\u202egnp.exe',
    '',
    '1e309',
    'NaN',
    -1,
    0.5,
    2 ** 53,
    null,
    [],
    {},
    true,
  ),
);

/** The value with one to four of its members, at any depth, replaced, removed or doubled. */
function tampered(value: unknown): fc.Arbitrary<unknown> {
  return fc
    .array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'double'), odd), {
      minLength: 1,
      maxLength: 4,
    })
    .map((changes) =>
      changes.reduce(
        (now, [place, how, put]) => changed(now, place, how, put),
        structuredClone(value),
      ),
    );
}

function changed(value: unknown, place: number, how: string, put: unknown): unknown {
  const holders: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      holders.push([node as Record<string, unknown>, key]);
      walk(child);
    }
  };
  walk(value);
  const [holder, key] = holders[place % Math.max(holders.length, 1)] ?? [];
  if (!holder || key === undefined) return put;
  if (how === 'remove') Reflect.deleteProperty(holder, key);
  else if (how === 'double') holder[key] = [holder[key], holder[key]];
  else holder[key] = put;
  return value;
}

/** Runs it; one of our errors, or a schema's complaint (which the client turns into one), is an answer too. */
async function survives(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof TankobonError || error instanceof ZodError)) throw error;
  }
}

const hold = (arbitrary: fc.Arbitrary<unknown>, act: (value: unknown) => unknown) =>
  fc.assert(
    fc.asyncProperty(arbitrary, (value) => survives(() => act(value))),
    { numRuns },
  );

const ID = '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';
const AT_HOME = {
  result: 'ok',
  baseUrl: 'https://node.example/token',
  chapter: { hash: 'abc', data: ['1-a.png', '2-b.png'], dataSaver: ['1-a.jpg', '2-b.jpg'] },
};
const TITLE = {
  id: ID,
  type: 'manga',
  attributes: {
    title: { en: 'A title' },
    altTitles: [{ ja: '題' }],
    description: { en: 'What it is about.' },
    originalLanguage: 'ja',
    status: 'ongoing',
    year: 2024,
    contentRating: 'safe',
    tags: [{ id: ID, type: 'tag', attributes: { name: { en: 'Action' }, group: 'genre' } }],
  },
  relationships: [
    { id: ID, type: 'author', attributes: { name: 'Somebody' } },
    { id: ID, type: 'cover_art', attributes: { fileName: 'c.jpg', volume: '1', locale: 'ja' } },
  ],
};
const CHAPTER = {
  id: ID,
  type: 'chapter',
  attributes: {
    title: 'First',
    volume: '1',
    chapter: '10.5',
    pages: 12,
    translatedLanguage: 'en',
    externalUrl: null,
    publishAt: '2024-01-05T12:00:00+00:00',
    version: 1,
  },
  relationships: [
    { id: ID, type: 'scanlation_group', attributes: { name: 'A group' } },
    { id: ID, type: 'manga', attributes: TITLE.attributes },
  ],
};

describe('the chapter image delivery metadata', () => {
  const answering = (value: unknown) =>
    ({
      api: async (request: ApiRequest<unknown>) => (await request.parser())(value),
    }) as unknown as ServiceClient;

  test(
    'yields plain names and addresses, or is refused',
    async () => {
      await hold(tampered(AT_HOME), async (value) => {
        const metadata = await fetchAtHomeMetadata(answering(value), ID);
        for (const quality of ['data', 'data-saver'] as const) {
          for (const fileName of pageFileNames(metadata, quality)) {
            expect(fileName).not.toMatch(/[/\\\p{Cc}]|^\.{1,2}$/u);
            pageUrl({ baseUrl: metadata.baseUrl, quality, hash: metadata.hash, fileName });
          }
        }
      });
    },
    TIMEOUT_MS,
  );
});

describe('the catalogue', () => {
  test(
    'a chapter becomes a safe path and a ComicInfo without what XML cannot hold, or is refused',
    async () => {
      const nameChapter = builtInTemplate({ hasLanguages: false, hasTitleFolder: true });
      await hold(tampered({ result: 'ok', data: CHAPTER }), async (value) => {
        const chapter = toChapter(single(chapterEntity).parse(value), NAMING);
        const path = nameChapter(nameValues(chapter, chapter.partialTitle));
        expect(
          path.split('/').every((segment) => segment !== '..' && Buffer.byteLength(segment) <= 255),
        ).toBe(true);
        expect(path).not.toMatch(/^\/|[\\:*?"<>|\p{Cc}\p{Bidi_Control}]/u);
        const xml = await comicInfoXml(
          comicMetadata(chapter, chapter.partialTitle, [{ bytes: 1 }]),
        );
        expect(xml).not.toMatch(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'titles, covers, lists and whole collections are read or refused',
    async () => {
      const cover = {
        id: ID,
        type: 'cover_art',
        attributes: TITLE.relationships[1]?.attributes,
        relationships: [],
      };
      const list = {
        id: ID,
        type: 'custom_list',
        attributes: { name: 'mine' },
        relationships: [{ id: ID, type: 'manga' }],
      };
      await hold(tampered({ result: 'ok', data: TITLE }), (value) =>
        toTitle(single(titleEntity).parse(value), NAMING),
      );
      await hold(tampered({ result: 'ok', data: [CHAPTER, CHAPTER], total: 2 }), (value) =>
        collection(chapterEntity, 100)
          .parse(value)
          .items.map((entity) => toChapter(entity, NAMING)),
      );
      await hold(tampered({ result: 'ok', data: [cover], total: 1 }), (value) =>
        collection(coverEntity, 100).parse(value),
      );
      await hold(tampered({ result: 'ok', data: list }), (value) =>
        single(listEntity).parse(value),
      );
    },
    TIMEOUT_MS,
  );
});

describe('errors and headers', () => {
  const body = {
    result: 'error',
    errors: [
      {
        id: ID,
        status: 403,
        title: 'captcha_required_exception',
        detail: 'x',
        context: { siteKey: 'key' },
      },
    ],
  };
  const headers = fc.dictionary(
    fc.constantFrom(
      'date',
      'retry-after',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-retry-after',
      'x-captcha-sitekey',
    ),
    fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    ),
  );

  test(
    'an error body of any shape is read without a throw',
    async () => {
      await hold(fc.tuple(tampered(body), headers), (value) => {
        const [answer, given] = value as [unknown, Record<string, string>];
        errorReasons(answer);
        isApiError(answer);
        const asked = findCaptchaChallenge(given, answer);
        expect(asked?.siteKey ?? '').not.toMatch(/\p{Cc}/u);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'rate headers never give a wait below nothing',
    async () => {
      await hold(fc.tuple(headers, fc.integer({ min: 0, max: 4e12 })), (value) => {
        const [given, wallMs] = value as [Record<string, string>, number];
        readRateHeaders(given, wallMs);
        expect(retryAfterMs(given, wallMs) ?? 0).toBeGreaterThanOrEqual(0);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'whatever text comes for JSON, it is a value or nothing',
    async () => {
      await hold(fc.oneof(fc.string({ unit: codePoint }), fc.json()), (value) =>
        jsonValue(String(value)),
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a grant is tokens or an error of ours, and no error repeats what came',
    async () => {
      const secret = 'never-to-be-shown';
      const grant = {
        access_token: secret,
        refresh_token: secret,
        expires_in: 900,
        refresh_expires_in: 1800,
      };
      await hold(tampered(grant), (value) => parseTokens(value, 0));
      await hold(tampered({ error: secret, error_description: secret }), (value) => {
        const error = tokenError({ status: 400, headers: {}, body: value }, 'password');
        expect(error.message + error.hint).not.toContain(secret);
      });
    },
    TIMEOUT_MS,
  );
});

test(
  'any bytes are recognised as an image or not, and have a size or not',
  async () => {
    const starts = fc.constantFrom(
      '89504e470d0a1a0a',
      'ffd8ffe0',
      '474946383961',
      '52494646000000005745425056503820',
      '0000001c66747970617669',
      '',
    );
    const bytes = fc
      .tuple(starts, fc.uint8Array({ maxLength: 400 }))
      .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'hex'), rest]));
    await hold(bytes, async (value) => {
      const image = value as Buffer;
      const extension = imageExtension(image);
      if (extension) hasValidTrailer(extension, image);
      const size = await imageDimensions(image);
      if (size) expect(size.width).toBeGreaterThan(0);
    });
  },
  TIMEOUT_MS,
);
