/** Runs `download` in the test's process, with real sockets, its own folder, and virtual time. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { download } from '../../src/cli/commands/download.js';
import { reportStatus } from '../../src/cli/commands/report-status.js';
import { systemKeychains } from '../../src/service/keychain.js';
import { pathsFrom } from '../../src/config/paths.js';
import type { CommandContext } from '../../src/cli/command-context.js';
import { loadSettings } from '../../src/config/settings.js';
import type { Settings } from '../../src/config/options.js';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../src/practice-server/accounts.js';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import type { FaultName } from '../../src/practice-server/page-faults.js';
import type { DownloadEvent } from '../../src/events/download-events.js';
import { systemClock, type Clock } from '../../src/core/clock.js';
import type { ExitCode } from '../../src/core/exit-codes.js';
import { Redactor } from '../../src/core/redactor.js';
import { assertEventLines } from './event-check.js';
import { parseTexts, type OptionTexts } from './option-texts.js';
import { virtualClock } from './virtual-clock.js';

export interface RunResult {
  readonly code: ExitCode;
  readonly events: readonly DownloadEvent[];
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOverrides {
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Settings>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** A line of a dry run in JSON. */
export interface DryRunLine {
  readonly type: string;
  readonly chapter: string;
  readonly file: string;
  readonly why: string;
  readonly reason: string;
  readonly requests: number;
  readonly leastTimeMs: number;
}

export class DownloadHarness {
  readonly folder = mkdtempSync(join(tmpdir(), 'tankobon-harness-'));

  private constructor(
    readonly service: PracticeService,
    private readonly clock: Clock,
  ) {}

  /** The service and the downloads share the clock, which by default leaps over every wait. */
  static async start(options: PracticeOptions = {}): Promise<DownloadHarness> {
    const { clock = virtualClock() } = options;
    return new DownloadHarness(await startPracticeService({ ...options, clock }), clock);
  }

  /** For tests that run at the same time: each has its own service and folder. */
  static async use<T>(
    options: PracticeOptions,
    act: (harness: DownloadHarness) => Promise<T>,
  ): Promise<T> {
    const harness = await DownloadHarness.start(options);
    try {
      return await act(harness);
    } finally {
      await harness.stop();
    }
  }

  /** The output folder. */
  get output(): string {
    return join(this.folder, 'library');
  }

  async download(
    options: OptionTexts & { readonly targets: readonly string[] },
    change: RunOverrides = {},
  ): Promise<RunResult> {
    const { targets, ...texts } = { output: this.output, json: true, ...options };
    const { code, stdout, stderr } = await this.command(
      (run) => download(targets, parseTexts(texts), run),
      change,
    );
    const events = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as DownloadEvent);
    return { code, events, stdout, stderr };
  }

  /** The records of `--dry-run --json` with these options. */
  async dryRun(
    options: OptionTexts & { readonly targets: readonly string[] },
  ): Promise<readonly DryRunLine[]> {
    const { events } = await this.download({ ...options, dryRun: true });
    return events as unknown as readonly DryRunLine[];
  }

  /** Runs a command in this harness's environment. */
  async command(
    act: (run: CommandContext) => Promise<ExitCode | undefined>,
    change: RunOverrides = {},
  ): Promise<{ code: ExitCode; stdout: string; stderr: string }> {
    const env = {
      ...this.service.environment,
      TANKOBON_HOME: join(this.folder, 'home'),
      ...change.env,
    };
    const paths = pathsFrom(env);
    const settings = await loadSettings(env, paths.config);
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const said = Promise.all([text(stdout), text(stderr)]);
    const result = await act({
      env,
      stdin: process.stdin,
      stdout: stdout as unknown as NodeJS.WriteStream,
      stderr: stderr as unknown as NodeJS.WriteStream,
      clock: change.clock ?? this.clock,
      signal: change.signal ?? new AbortController().signal,
      settings: { ...settings, ...LIMITS, ...change.settings },
      paths,
      redactor: new Redactor(),
      openKeychain: systemKeychains(systemClock),
    });
    stdout.end();
    stderr.end();
    const [results, messages] = await said;
    assertEventLines(results);
    return { code: result ?? 0, stdout: results, stderr: messages };
  }

  /** The environment in which `login` needs no terminal. */
  loginEnvironment(): Readonly<Record<string, string>> {
    return {
      TANKOBON_USERNAME: PRACTICE_ACCOUNT.username,
      TANKOBON_PASSWORD: PRACTICE_ACCOUNT.password,
      TANKOBON_CLIENT_ID: PRACTICE_CLIENT.id,
      TANKOBON_CLIENT_SECRET: PRACTICE_CLIENT.secret,
    };
  }

  /** All files below the output folder, hidden ones too. */
  files(): readonly string[] {
    try {
      return readdirSync(this.output, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    } catch {
      return [];
    }
  }

  /** The finished archives. */
  archives(): readonly string[] {
    return this.files().filter((file) => file.endsWith('.cbz'));
  }

  /** The paths of the finished archives in the output folder, sorted. */
  archivePaths(): readonly string[] {
    return this.archives()
      .map((file) => relative(this.output, file))
      .sort();
  }

  /** The reports of all loads so far: those that a run on a busy machine left to be sent are sent now. */
  async reports(): Promise<PracticeService['reports']> {
    await this.command((run) => reportStatus({ flush: true, json: true }, run));
    return withoutRepeats(this.service.reports);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    // A report's sender may still write.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Time limits that a busy machine does not meet either, and a size limit that a test can. */
const LIMITS = {
  connectTimeoutMs: 20_000,
  firstByteTimeoutMs: 20_000,
  idleTimeoutMs: 20_000,
  pageTimeoutMs: 30_000,
  maxPageBytes: 2 * 1024 * 1024,
} satisfies Partial<Settings>;

/** The limits by which a load with these faults ends. */
const TIME_LIMITS: Readonly<Partial<Record<FaultName, Partial<Settings>>>> = {
  'silent-node': { firstByteTimeoutMs: 300 },
  hang: { firstByteTimeoutMs: 300 },
  stall: { idleTimeoutMs: 300 },
  trickle: { pageTimeoutMs: 900 },
};

/** Only the limit that ends the fault is short. */
export function timeLimitsFor(fault: FaultName): Partial<Settings> {
  return TIME_LIMITS[fault] ?? {};
}

/** Each report once: on a busy machine, one whose answer comes too late is sent again. */
function withoutRepeats(reports: PracticeService['reports']): PracticeService['reports'] {
  return [...new Map(reports.map((each) => [`${each.url} ${each.duration}`, each])).values()];
}
