/**
 * `tankobon demo`: the practice service on this machine, and one chapter fetched from it by the very command that
 * fetches real ones. Settings, ledger and outbox are of its own and gone afterwards.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../practice-server/practice-service.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { pathsFrom } from '../../app/paths.js';
import type { CommandContext } from '../command-context.js';
import { loadSettings } from '../../app/settings.js';
import { download } from './download.js';

export interface DemoOptions {
  readonly output: string;
  readonly serve?: boolean;
}

export async function demo(options: DemoOptions, run: CommandContext): Promise<ExitCode> {
  const home = await mkdtemp(join(tmpdir(), 'tankobon-demo-'));
  const service = await startPracticeService();
  try {
    const env = { ...run.env, ...service.environment, TANKOBON_HOME: home };
    return options.serve
      ? await serve(service, env, run)
      : await fetchOne(service, options.output, env, run);
  } finally {
    await service.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function fetchOne(
  service: PracticeService,
  output: string,
  env: Readonly<NodeJS.ProcessEnv>,
  run: CommandContext,
): Promise<ExitCode> {
  const chapter = firstChapter(service);
  const paths = pathsFrom(env);
  const { settings } = await loadSettings(env, paths.config);
  run.stderr.write(
    `The practice service is up at ${service.addresses.apiUrl}; fetching chapter ${chapter} from it.\n`,
  );
  const code = await download(
    { targets: [chapter], output, force: true },
    { ...run, env, paths, settings },
  );
  if (code !== EXIT.done) return code;
  run.stderr.write(
    `It was asked ${service.log.length} times, and got ${service.reports.length} health reports. Try it yourself:\n` +
      '  tankobon demo --serve\n',
  );
  return EXIT.done;
}

async function serve(
  service: PracticeService,
  env: NodeJS.ProcessEnv,
  run: CommandContext,
): Promise<ExitCode> {
  const names = [...Object.keys(service.environment), 'TANKOBON_HOME'];
  for (const name of names) run.stdout.write(`export ${name}=${env[name] ?? ''}\n`);
  run.stderr.write(
    'The practice service is up until you press Ctrl-C. In another terminal, paste the lines above, then:\n' +
      `  tankobon download ${firstChapter(service)}\n`,
  );
  await new Promise<void>((resolve) => {
    run.signal.addEventListener('abort', () => {
      resolve();
    });
  });
  return EXIT.done;
}

/** A chapter of the example library that has pages and can be had. */
function firstChapter({ library }: PracticeService): string {
  const chapter = library.chapters().find((candidate) => candidate.pages('data').length >= 12);
  if (!chapter) throw new Error('The example library holds no chapter.');
  return chapter.id;
}
