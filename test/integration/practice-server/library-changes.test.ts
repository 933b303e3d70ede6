/** Changes of the library while the practice server runs: what the service's daily life does to a collection. */
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../src/practice-server/accounts.js';
import {
  createLibrary,
  editChapter,
  editTitle,
  NO_GROUP,
  restoreChapter,
  reuploadChapter,
  takeDownChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { createTitle, plainChapter } from '../../../src/practice-server/library/story-chapter.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import {
  atHome,
  atHomeUrl,
  json,
  pageUrl,
  send,
  type SendOptions,
} from '../../support/plain-client.js';

const CREATED = '2024-01-05T12:00:00+00:00';
const LATER = '2024-02-05T12:00:00+00:00';

const title = (name: string, id = uuidOf('title', name)) =>
  createTitle({ id, title: { en: name }, createdAt: CREATED, updatedAt: CREATED });
const chapter = (
  number: string,
  { of = 'Gulls', language = 'en', volume = null as string | null, pages = 2 } = {},
): LibraryChapter =>
  plainChapter(
    {
      id: uuidOf('chapter', of, number, language, pages),
      titleId: uuidOf('title', of),
      groups: [NO_GROUP],
      at: CREATED,
      chapter: number,
      translatedLanguage: language,
      volume,
    },
    pages,
  );

const [GULLS, FERRIES] = [title('Gulls'), title('Ferries')];
const [first, second] = [chapter('1'), chapter('2')];
const LIST = { id: uuidOf('list'), name: 'Coast', visibility: 'public' as const };

let service: PracticeService;
beforeEach(async () => {
  service = await startPracticeService({
    library: createLibrary({
      titles: [GULLS, FERRIES],
      chapters: [first, second],
      lists: [{ ...LIST, titleIds: [GULLS.id] }],
      followedTitleIds: [GULLS.id],
      readingStatuses: new Map([[GULLS.id, 'reading']]),
    }),
    limits: { general: { requests: 1_000, periodMs: 1_000 } },
  });
});
afterEach(() => service.stop());

interface Entity {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: readonly { readonly id: string; readonly type: string }[];
}

async function data<T = Entity>(path: string, options: SendOptions = {}): Promise<T> {
  const response = await send(service.addresses.apiUrl + path, options);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  return (json(response) as { data: T }).data;
}
const idsAt = async (path: string, options?: SendOptions) =>
  (await data<Entity[]>(path, options)).map(({ id }) => id);
const status = async (path: string) => (await send(service.addresses.apiUrl + path)).status;

async function asReader(): Promise<SendOptions> {
  const { authUrl, realm } = service.addresses;
  const response = await send(`${authUrl}/realms/${realm}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'password',
      username: PRACTICE_ACCOUNT.username,
      password: PRACTICE_ACCOUNT.password,
      client_id: PRACTICE_CLIENT.id,
      client_secret: PRACTICE_CLIENT.secret,
    }).toString(),
  });
  const { access_token: token } = json(response) as { access_token: string };
  return { headers: { Authorization: `Bearer ${token}` } };
}

test('an edit changes the data, `version` and `updatedAt`, and no page', async () => {
  const before = await atHome(service, {}, first.id);
  service.library.putChapter(editChapter(first, LATER, { volume: '1', title: 'Low Tide' }));
  const { attributes } = await data(`/chapter/${first.id}`);
  expect(attributes).toMatchObject({
    volume: '1',
    title: 'Low Tide',
    version: 2,
    createdAt: CREATED,
    updatedAt: LATER,
  });
  const after = await atHome(service, {}, first.id);
  expect(after.chapter).toEqual(before.chapter);
  expect(await idsAt(`/manga/${GULLS.id}/feed?updatedAtSince=2024-02-01T00:00:00`)).toEqual([
    first.id,
  ]);
});

test('a re-upload has the same id and other pages, whose names have their digests', async () => {
  const before = await atHome(service, {}, first.id);
  const upload = chapter('1', { pages: 3 });
  service.library.putChapter(reuploadChapter(first, LATER, upload));
  const after = await atHome(service, {}, first.id);
  expect(after.chapter.data).toHaveLength(3);
  expect(after.chapter.data).not.toContain(before.chapter.data[0]);
  const page = await send(pageUrl(after));
  expect(page.body).toEqual(upload.pages('data')[0]?.bytes());
  const { attributes } = await data(`/chapter/${first.id}`);
  expect(attributes).toMatchObject({ version: 2, updatedAt: LATER, createdAt: CREATED, pages: 3 });
  expect((await send(pageUrl(before))).body).toEqual(first.pages('data')[0]?.bytes());
});

test('a chapter that was taken down is left out of all collections unless `includeUnavailable=1`, until it is restored', async () => {
  service.library.putChapter(takeDownChapter(first));
  const reader = await asReader();
  const collections = [
    '/chapter?',
    `/manga/${GULLS.id}/feed?`,
    `/list/${LIST.id}/feed?`,
    '/user/follows/manga/feed?',
  ];
  for (const path of collections) {
    expect(await idsAt(path, reader)).toEqual([second.id]);
    expect(await idsAt(`${path}includeUnavailable=0`, reader)).toEqual([second.id]);
    expect((await idsAt(`${path}includeUnavailable=1`, reader)).sort()).toEqual(
      [first.id, second.id].sort(),
    );
  }
  const { attributes } = await data(`/chapter/${first.id}`);
  expect(attributes).toMatchObject({ isUnavailable: true, pages: 2, version: 1 });
  expect((await send(atHomeUrl(service, first.id))).status).toBe(404);
  service.library.putChapter(restoreChapter(takeDownChapter(first)));
  expect(await idsAt('/chapter?')).toEqual([first.id, second.id]);
  expect((await atHome(service, {}, first.id)).chapter.data).toHaveLength(2);
});

test('edits, take-downs and restorations leave `latestUploadedChapter` as it is; an upload changes it', async () => {
  const latest = async () => (await data(`/manga/${GULLS.id}`)).attributes['latestUploadedChapter'];
  expect(await latest()).toBe(second.id);
  service.library.putChapter(takeDownChapter(second));
  expect(await latest()).toBe(second.id);
  service.library.putChapter(editChapter(first, LATER, { title: 'Low Tide' }));
  expect(await latest()).toBe(second.id);
  const third = plainChapter(
    { id: uuidOf('third'), titleId: GULLS.id, groups: [], at: LATER, translatedLanguage: 'fr' },
    1,
  );
  service.library.putChapter(third);
  expect(await latest()).toBe(third.id);
});

test('a deleted chapter is gone, and its new upload has another id', async () => {
  service.library.removeChapter(first.id);
  const again = chapter('1', { pages: 3 });
  service.library.putChapter(again);
  expect(await status(`/chapter/${first.id}`)).toBe(404);
  expect((await send(atHomeUrl(service, first.id))).status).toBe(404);
  expect((await idsAt(`/manga/${GULLS.id}/feed`)).sort()).toEqual([second.id, again.id].sort());
});

test('a renamed title has its new name everywhere', async () => {
  service.library.putTitle(editTitle(GULLS, LATER, { title: { en: 'Terns' } }));
  const { attributes } = await data(`/manga/${GULLS.id}`);
  expect(attributes).toMatchObject({ title: { en: 'Terns' }, version: 2, updatedAt: LATER });
  expect(await idsAt('/manga?title=terns')).toEqual([GULLS.id]);
  expect(await idsAt('/manga?title=gulls')).toEqual([]);
  const { relationships } = await data(`/chapter/${first.id}?includes[]=manga`);
  expect(relationships).toContainEqual(
    expect.objectContaining({ attributes: expect.objectContaining({ title: { en: 'Terns' } }) }),
  );
});

test('a merged title answers with the new id alone at `/manga/{id}`, and is not found elsewhere', async () => {
  service.library.mergeTitle(GULLS.id, FERRIES.id);
  expect((await data(`/manga/${GULLS.id}`)).id).toBe(FERRIES.id);
  expect(await idsAt(`/manga?ids[]=${GULLS.id}`)).toEqual([]);
  expect(await status(`/manga/${GULLS.id}/feed`)).toBe(404);
  expect(await status(`/manga/${GULLS.id}/aggregate`)).toBe(404);
  expect(await idsAt(`/manga/${FERRIES.id}/feed`)).toEqual([first.id, second.id]);
  const { relationships } = await data(`/chapter/${first.id}`);
  expect(relationships).toContainEqual(expect.objectContaining({ id: FERRIES.id, type: 'manga' }));
  expect(await idsAt('/user/follows/manga', await asReader())).toEqual([FERRIES.id]);
  const list = await data(`/list/${LIST.id}`);
  expect(list.relationships).toContainEqual({ id: FERRIES.id, type: 'manga' });
  const last = title('Harbours');
  service.library.putTitle(last);
  service.library.mergeTitle(FERRIES.id, last.id);
  expect((await data(`/manga/${GULLS.id}`)).id).toBe(last.id);
});

test('two titles can have the same name', async () => {
  const twin = title('Gulls', uuidOf('twin'));
  service.library.putTitle(twin);
  expect((await idsAt('/manga?title=gulls')).sort()).toEqual([GULLS.id, twin.id].sort());
});

test('the aggregate counts all languages, and so knows the volume of a chapter that has none itself', async () => {
  service.library.putChapter(chapter('1', { language: 'fr', volume: '1' }));
  const response = await send(`${service.addresses.apiUrl}/manga/${GULLS.id}/aggregate`);
  expect(json(response)).toMatchObject({
    volumes: {
      '1': { volume: '1', count: 1, chapters: { '1': { chapter: '1', count: 1 } } },
      none: { volume: 'none', count: 2, chapters: { '1': { id: first.id }, '2': { count: 1 } } },
    },
  });
});

test('a chapter without a group can be of the leftover group', async () => {
  const { relationships } = await data(`/chapter/${first.id}?includes[]=scanlation_group`);
  expect(relationships).toContainEqual(
    expect.objectContaining({ id: '00e03853-1b96-4f41-9542-c71b8692033b' }),
  );
});
