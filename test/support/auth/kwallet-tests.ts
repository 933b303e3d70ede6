/** The login in a real KWallet, whose Secret Service fails now and then. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { describeWith } from '../requirements.js';
import {
  cli,
  KWALLET_NEEDS,
  LOGIN_ENV,
  newFolder,
  startKWallet,
  type Env,
  type SecretService,
} from './harness.js';

/** Defines the test with this number of runs of each command. */
export function defineKWalletTest(rounds: number, timeLimitMs?: number): void {
  describeWith('KWallet', KWALLET_NEEDS, () => {
    let practice: PracticeService;
    let folder: string;
    let wallet: SecretService;
    beforeEach(async () => {
      practice = await startPracticeService();
      folder = newFolder();
      wallet = await startKWallet(folder);
    });
    afterEach(async () => {
      await wallet.stop();
      await practice.stop();
      rmSync(folder, { recursive: true });
    });

    test(
      `login, whoami and refresh, ${rounds} times each, with refresh tokens that rotate: none fails, and no login is lost`,
      async () => {
        const home = join(folder, 'home');
        const env: Env = { ...practice.environment, ...wallet.env, TANKOBON_HOME: home };
        const failed: unknown[] = [];
        for (let round = 0; round < rounds; round += 1) {
          for (const command of ['login', 'whoami', 'refresh']) {
            const { code, stderr } = await cli([command], { ...env, ...LOGIN_ENV });
            if (code !== 0 || stderr !== '') failed.push({ round, command, code, stderr });
          }
        }
        expect(failed).toEqual([]);
        const names = readdirSync(join(home, 'credentials'));
        expect(names.filter((name) => name.endsWith('.json'))).toEqual([]);
        expect(await cli(['logout'], env)).toMatchObject({ code: 0, stderr: '' });
        expect(practice.violations()).toEqual([]);
      },
      timeLimitMs,
    );
  });
}
