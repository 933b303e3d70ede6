/** A keychain that waits for a dialog on a screen without a user, and one that stops in the middle of a renewal. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import {
  cli,
  ended,
  LOGIN_ENV,
  newFolder,
  secretServicePid,
  SILENT_SERVICE_NEEDS,
  startCli,
  startSecretService,
  startSilentService,
  type Env,
  type SecretService,
} from '../support/auth/harness.js';
import { describeWith } from '../support/requirements.js';

describeWith('a keychain that does not answer', SILENT_SERVICE_NEEDS, () => {
  let practice: PracticeService;
  let folder: string;
  let home: string;
  let env: Env;
  let services: SecretService[];

  beforeEach(async () => {
    practice = await startPracticeService();
    folder = newFolder();
    home = join(folder, 'home');
    const service = await startSecretService(folder);
    services = [service];
    env = { ...practice.environment, TANKOBON_HOME: home, ...service.env };
    expect(await cli(['login'], { ...env, ...LOGIN_ENV })).toMatchObject({ code: 0, stderr: '' });
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await practice.stop();
    rmSync(folder, { recursive: true });
  });

  test('each command ends: public chapters are downloaded without the login, and what needs it is exit 7', async () => {
    const silent = await startSilentService(folder);
    services.push(silent);
    const locked = { ...env, ...silent.env };
    const [chapter] = practice.library.chapters();
    const download = ['download', chapter?.id ?? '', '-o', join(folder, 'out')];
    const [downloaded, examined, logged, ...others] = await Promise.all([
      cli(download, locked),
      cli(['doctor', '-o', folder], locked),
      cli(['login'], { ...locked, ...LOGIN_ENV }),
      cli(['whoami'], locked),
      cli(['refresh'], locked),
      cli(['logout'], locked),
    ]);
    expect(downloaded).toMatchObject({ code: 0 });
    expect(downloaded.stdout).toMatch(/\.cbz$/m);
    expect(downloaded.stderr).toMatch(
      /Waiting for the keychain, for at most 30 s\.[^]*without a login/,
    );
    expect(examined).toMatchObject({ code: 3 });
    expect(examined.stdout).toMatch(/^error +keychain +The keychain does not answer/m);
    for (const refused of [logged, ...others]) {
      expect(refused).toMatchObject({ code: 7, stdout: '' });
      expect(refused.stderr).toMatch(
        /^warning: Waiting for the keychain, for at most 30 s\.\nhint: .*\nerror: The keychain does not answer\.\nhint: /,
      );
    }
  });

  test('a renewed login is kept in a private file while the keychain fails, and the next run stores it', async () => {
    const pid = await secretServicePid(env);
    const sent = practice.log.length;
    const child = startCli(['refresh'], env);
    const over = ended(child);
    // The keychain was read, and stops before the new tokens are written.
    while (practice.log.length === sent && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 1));
    process.kill(pid, 'SIGSTOP');
    const refreshed = await over;
    const credentials = join(home, 'credentials');
    const kept = readdirSync(credentials).filter((name) => name.endsWith('.pending.json'));
    expect(kept).toHaveLength(1);
    expect(statSync(join(credentials, kept[0] ?? '')).mode & 0o777).toBe(0o600);
    expect(refreshed).toMatchObject({ code: 0 });
    const who = await cli(['whoami'], env);
    expect(who).toMatchObject({ code: 0, stderr: '' });
    expect(who.stdout).toMatch(/^Kept in: .*\.pending\.json.*until the keychain stores it$/m);
    process.kill(pid, 'SIGCONT');
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(credentials).filter((name) => name.includes('pending'))).toEqual([]);
    expect((await cli(['whoami'], env)).stdout).not.toContain('Kept in');
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(practice.violations()).toEqual([]);
  });
});
