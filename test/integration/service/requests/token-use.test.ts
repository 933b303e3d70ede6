/** The access token goes only where it is needed (docs/specification.md, section 5). */
import type { ApiRequest } from '../../../../src/service/client.js';
import { fetchChapter, fetchChapters } from '../../../../src/service/chapters.js';
import { fetchFollowedTitles, markRead } from '../../../../src/service/account.js';
import { fetchTitle, fetchTitles, searchTitles } from '../../../../src/service/titles.js';
import { fetchAtHomeMetadata } from '../../../../src/service/at-home.js';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../../src/practice-server/accounts.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
} from '../../../../src/practice-server/library/library.js';
import { startPractice, type Practice } from '../../../support/catalogue-harness.js';

let practice: Practice;
let token: string | undefined;
let asked = 0;

beforeEach(async () => {
  asked = 0;
  token = undefined;
  const getToken = (): Promise<string | undefined> => {
    asked += 1;
    return Promise.resolve(token);
  };
  practice = await startPractice({}, { getToken, renew: getToken, isExpired: () => false });
  const { authUrl, realm } = practice.service.addresses;
  const response = await fetch(`${authUrl}/realms/${realm}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { 'User-Agent': 'token-use-test/1' },
    body: new URLSearchParams({
      grant_type: 'password',
      username: PRACTICE_ACCOUNT.username,
      password: PRACTICE_ACCOUNT.password,
      client_id: PRACTICE_CLIENT.id,
      client_secret: PRACTICE_CLIENT.secret,
    }),
  });
  ({ access_token: token } = (await response.json()) as { access_token: string });
});
afterEach(() => practice.stop());

const { lighthouse } = EXAMPLE_TITLES;
const { first } = EXAMPLE_CHAPTERS;

/** For each request to the API, in order: its path, and whether it had a token. */
const sent = () =>
  practice.service.log
    .filter(({ host }) => host === 'api')
    .map(({ path, headers }) => [path, headers.authorization !== undefined]);

const request = (path: string): ApiRequest<unknown> => ({
  method: 'GET',
  path,
  parser: () => (value) => value,
});

test('search, titles, chapters, feeds and public lists go without it, although there is a login', async () => {
  const { client, service } = practice;
  await searchTitles(client, 'lighthouse');
  await fetchTitle(client, lighthouse);
  await fetchTitles(client, [lighthouse], {});
  await fetchChapter(client, first);
  await fetchChapters(client, [first], {});
  await client.api(request(`/manga/${lighthouse}/feed`));
  await client.api(request(`/list/${EXAMPLE_LISTS.public}`));
  await client.api(request('/cover'));
  expect(sent().map(([, hasToken]) => hasToken)).toEqual(Array.from({ length: 8 }, () => false));
  expect(asked).toBe(0);
  expect(service.violations()).toEqual([]);
});

test('page delivery, follows, statuses and read marks carry it', async () => {
  const { client, service } = practice;
  await fetchAtHomeMetadata(client, first);
  await fetchFollowedTitles(client, {});
  await client.api(request('/manga/status'));
  await markRead(client, lighthouse, [first]);
  expect(sent().map(([, hasToken]) => hasToken)).toEqual([true, true, true, true]);
  expect(service.violations()).toEqual([]);
});

test('a private list is asked for once without it, and with it for the rest of the run', async () => {
  const { client, service } = practice;
  const list = `/list/${EXAMPLE_LISTS.private}`;
  await client.api(request(list));
  await client.api(request(`${list}/feed`));
  await client.api(request(`/list/${EXAMPLE_LISTS.public}`));
  expect(sent()).toEqual([
    [list, false],
    [list, true],
    [`${list}/feed`, true],
    [`/list/${EXAMPLE_LISTS.public}`, false],
  ]);
  expect(service.violations()).toEqual([]);
});

test('a title that is refused to anonymous requests by an API error is asked for with it', async () => {
  const { client, service } = practice;
  service.injectApiFault({ fault: 'refused-to-anonymous', pathStart: '/manga', times: 'always' });
  await fetchTitle(client, lighthouse);
  await client.api(request(`/manga/${lighthouse}/feed`));
  expect(sent().map(([, hasToken]) => hasToken)).toEqual([false, true, true]);
  expect(service.violations()).toEqual([]);
});

test('what is missing with it too is asked for twice, and keeps nothing', async () => {
  const { client, service } = practice;
  const nowhere = '/manga/00000000-0000-4000-8000-000000000000';
  for (let round = 0; round < 2; round += 1) {
    await expect(client.api(request(nowhere))).rejects.toMatchObject({ status: 404 });
  }
  expect(sent().map(([, hasToken]) => hasToken)).toEqual([false, true, false, true]);
  expect(service.violations()).toEqual([]);
});

test('neither a captcha nor a ban makes it go out', async () => {
  const { client, service } = practice;
  service.requireCaptcha({ pathStart: '/manga' });
  await expect(fetchTitle(client, lighthouse)).rejects.toMatchObject({ code: 'captcha-required' });
  expect(sent().map(([, hasToken]) => hasToken)).toEqual([false]);
});

test('without a login, a refusal is not repeated', async () => {
  token = undefined;
  const { client } = practice;
  await expect(client.api(request(`/list/${EXAMPLE_LISTS.private}`))).rejects.toMatchObject({
    status: 404,
  });
  expect(sent()).toHaveLength(1);
});
