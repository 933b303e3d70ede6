/** The password of the ledger's server in a real keychain, stored by the program that docs/ledger.md names. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  cli,
  KEYCHAIN_PROGRAMS,
  newFolder,
  run,
  startSecretService,
  type Env,
  type SecretService,
} from '../support/auth/harness.js';
import { describeWith } from '../support/requirements.js';
import { startRespServer, type RespServer } from '../support/resp-server.js';

const PASSWORD = 'correct-horse-battery';

describeWith('the keychain with a ledger on a server', { programs: KEYCHAIN_PROGRAMS }, () => {
  let folder: string;
  let server: RespServer;
  let secretService: SecretService;
  let env: Env;
  beforeEach(async () => {
    folder = newFolder();
    server = await startRespServer();
    secretService = await startSecretService(folder);
    env = { ...secretService.env, TANKOBON_HOME: join(folder, 'home') };
    const host = new URL(server.url).host;
    const words = ['store', '--label=tankobon ledger', 'service', 'tankobon ledger'];
    await run('secret-tool', [...words, 'username', host], env, PASSWORD);
  });
  afterEach(async () => {
    await secretService.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const limits = (url: string) => cli(['limits'], { ...env, TANKOBON_LEDGER: url });

  test('for a URL with a user name the password is read from it, and not shown', async () => {
    const { code, stdout, stderr } = await limits(server.url.replace('//', '//ann@'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.logins).toEqual([['ann', PASSWORD]]);
    expect(stdout).not.toContain(PASSWORD);
  });

  test('for a URL without a user name it is not read', async () => {
    expect(await limits(server.url)).toMatchObject({ code: 0 });
    expect(server.logins).toEqual([]);
  });

  test('without an entry the password is empty, as for a user without one', async () => {
    await run('secret-tool', ['clear', 'service', 'tankobon ledger'], env);
    expect(await limits(server.url.replace('//', '//ann@'))).toMatchObject({ code: 0 });
    expect(server.logins).toEqual([['ann', '']]);
  });
});
