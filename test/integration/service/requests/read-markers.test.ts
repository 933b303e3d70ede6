import { markRead } from '../../../../src/service/account.js';
import { errorResponse } from '../../../../src/practice-server/endpoint.js';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../../src/practice-server/accounts.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_TITLES,
} from '../../../../src/practice-server/library/library.js';
import { startPractice, type Practice } from '../../../support/catalogue-harness.js';

const IDS = [EXAMPLE_CHAPTERS.first, EXAMPLE_CHAPTERS.second];
let practice: Practice;
let token: string | undefined;

beforeEach(async () => {
  token = undefined;
  const bearer = {
    getToken: () => Promise.resolve(token),
    renew: () => Promise.resolve(undefined),
    isExpired: () => false,
  };
  practice = await startPractice({}, bearer);
});

afterEach(() => practice.stop());

async function logIn(): Promise<void> {
  const form = new URLSearchParams({
    grant_type: 'password',
    username: PRACTICE_ACCOUNT.username,
    password: PRACTICE_ACCOUNT.password,
    client_id: PRACTICE_CLIENT.id,
    client_secret: PRACTICE_CLIENT.secret,
  });
  const { body } = await practice.client.postTokenForm(form);
  token = (body as { access_token: string }).access_token;
}

const marked = async () => {
  const answer = await practice.client.api({
    method: 'GET',
    path: `/manga/${EXAMPLE_TITLES.lighthouse}/read`,
    parser: () => (value) => value as { data: string[] },
  });
  practice.calls();
  return answer.data.sort();
};

test('chapters of one title are marked in one call', async () => {
  await logIn();
  await markRead(practice.client, EXAMPLE_TITLES.lighthouse, IDS);
  expect(practice.calls().map(({ line }) => line)).toEqual([
    `POST /manga/${EXAMPLE_TITLES.lighthouse}/read`,
  ]);
  expect(await marked()).toEqual([...IDS].sort());
});

test('without a title, or where many at once are not offered, each is marked by itself', async () => {
  await logIn();
  const each = IDS.map((id) => `POST /chapter/${id}/read`);
  await markRead(practice.client, undefined, IDS);
  expect(practice.calls().map(({ line }) => line)).toEqual(each);
  practice.service.intercept(`/manga/${EXAMPLE_TITLES.lighthouse}/read`, () =>
    errorResponse(404, { title: 'not_found_http_exception', detail: 'No such route.' }),
  );
  await markRead(practice.client, EXAMPLE_TITLES.lighthouse, IDS);
  expect(
    practice
      .calls()
      .slice(1)
      .map(({ line }) => line),
  ).toEqual(each);
});

test('without a login the refusal is reported', async () => {
  await expect(markRead(practice.client, EXAMPLE_TITLES.lighthouse, IDS)).rejects.toMatchObject({
    status: 401,
  });
});

test('nothing to mark takes no call', async () => {
  await markRead(practice.client, EXAMPLE_TITLES.lighthouse, []);
  expect(practice.calls()).toEqual([]);
});
