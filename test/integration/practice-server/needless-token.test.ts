/** The rule that a token is sent only where it is needed (docs/specification.md, section 5). */
import { EXAMPLE_LISTS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { CHAPTER, send } from '../../support/plain-client.js';

let service: PracticeService;
beforeEach(async () => {
  service = await startPracticeService({
    chapters: [CHAPTER],
    limits: { general: { requests: 1_000, periodMs: 1_000 } },
  });
});
afterEach(() => service.stop());

describe('a token is needless', () => {
  const title = EXAMPLE_TITLES.lighthouse;
  /** Any token: one that the service does not know is needless too. */
  const bearer = { headers: { Authorization: 'Bearer x' } };
  const isNeedless = async (path: string): Promise<boolean> => {
    await send(service.addresses.apiUrl + path, bearer);
    return service.log.at(-1)?.findings.includes('needless-token') ?? false;
  };

  test.each([
    '/manga?title=cat',
    `/manga/${title}`,
    `/manga/${title}/feed`,
    `/manga/${title}/aggregate`,
    '/manga/random',
    `/chapter?ids[]=${CHAPTER.id}`,
    `/chapter/${CHAPTER.id}`,
    `/list/${EXAMPLE_LISTS.public}`,
    `/cover?manga[]=${title}`,
    '/group',
  ])('at %s', async (path) => {
    expect(await isNeedless(path)).toBe(true);
  });

  test.each([
    `/at-home/server/${CHAPTER.id}`,
    '/user/follows/manga/feed',
    '/user/me',
    '/manga/status',
    '/manga/read',
    `/manga/${title}/read`,
    `/chapter/${CHAPTER.id}/read`,
    '/captcha/solve',
  ])('but not at %s', async (path) => {
    expect(await isNeedless(path)).toBe(false);
  });

  test('but not for what was refused without one: 401, 404, or 403 as an API error', async () => {
    const list = `/list/${EXAMPLE_LISTS.private}`;
    expect((await send(service.addresses.apiUrl + list)).status).toBe(404);
    expect(await isNeedless(list)).toBe(false);
    expect(await isNeedless(`${list}/feed?limit=10`)).toBe(false);
    expect(await isNeedless(`/list/${EXAMPLE_LISTS.public}`)).toBe(true);
    service.injectApiFault({ fault: 'refused', pathStart: '/manga', times: 1 });
    expect((await send(`${service.addresses.apiUrl}/manga?title=cat`)).status).toBe(403);
    expect(await isNeedless('/manga?title=cat')).toBe(false);
    expect(await isNeedless('/manga?title=dog')).toBe(true);
  });

  test('even after a captcha or a ban', async () => {
    service.injectApiFault({ fault: 'generic-403', pathStart: '/manga', times: 1 });
    expect((await send(`${service.addresses.apiUrl}/manga/${title}`)).status).toBe(403);
    expect(await isNeedless(`/manga/${title}`)).toBe(true);
    service.requireCaptcha({ pathStart: '/chapter', solvedFor: 1 });
    expect((await send(`${service.addresses.apiUrl}/chapter/${CHAPTER.id}`)).status).toBe(403);
    expect(await isNeedless(`/chapter/${CHAPTER.id}`)).toBe(true);
  });
});
