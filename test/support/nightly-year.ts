/**
 * A year of nightly runs of `sync` on a home server, in virtual time: its share, its hooks, its keychain, its session and
 * its clock fail in turns, while titles get chapters, end, and are rated again. What each night printed is kept.
 */
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { login } from '../../src/cli/commands/login.js';
import { storeHookKey } from '../../src/cli/commands/login-hook-key.js';
import { sync } from '../../src/cli/commands/sync.js';
import type { CommandContext } from '../../src/cli/command-context.js';
import type { HookService } from '../../src/config/hook-services.js';
import type { Clock } from '../../src/core/clock.js';
import type { ExitCode } from '../../src/core/exit-codes.js';
import { scanLibrary } from '../../src/library/scan.js';
import { editTitle } from '../../src/practice-server/library/library.js';
import type { TitleAttributes } from '../../src/practice-server/records.js';
import { systemKeychains } from '../../src/service/keychain.js';
import { readEntry } from './archive.js';
import { parseTexts } from './option-texts.js';
import { seeded } from './seeded.js';
import { startStubServer, type StubServer } from './stub-server.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from './sync-harness.js';

export const NIGHTS = 365;
/** The titles of the file; Delta is followed by the account. */
const TITLES = ['Alpha', 'Beta', 'Gamma', 'Delta'] as const;
type TitleName = (typeof TITLES)[number];

/** What is wrong in some nights, each with the first one and the one after the last. */
const FAULTS = {
  shareAway: [
    [40, 47],
    [150, 151],
    [290, 300],
  ],
  hooksDead: [
    [20, 24],
    [100, 101],
    [220, 230],
    [293, 296],
  ],
  reportsDead: [
    [60, 66],
    [225, 228],
  ],
  keychainSilent: [
    [80, 83],
    [223, 224],
  ],
  serviceAway: [
    [120, 122],
    [250, 251],
  ],
  sessionEnds: [
    [180, 181],
    [310, 311],
  ],
  clockAhead: [[200, 203]],
  clockBehind: [[204, 207]],
} as const satisfies Readonly<Record<string, readonly (readonly [number, number])[]>>;
type Fault = keyof typeof FAULTS;

/** The owner sees the error of the first ended session after some days; the second one ends with variables set. */
export const OWNER_LOGS_IN = 184;
const VARIABLES_SINCE = 250;
/** The last chapter of Alpha is there; then it is rated again. */
const ALPHA_ENDS = 130;
const ALPHA_IS_RATED = 132;
/** A chapter is deleted and uploaded again: with `upgrade`, without, and while the share is away. */
const UPLOADED_AGAIN: Readonly<Record<number, readonly [TitleName, string]>> = {
  90: ['Gamma', '1'],
  95: ['Beta', '1'],
  292: ['Alpha', '2'],
};
const KEYS = { komga: 'komga-key-0123456789', kavita: 'kavita-key-0123456789' } as const;
const ZONES = ['UTC', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kathmandu'];

export interface Night {
  readonly night: number;
  readonly faults: readonly Fault[];
  /** Something happened on the service since the night before. */
  readonly hasNews: boolean;
  readonly code: ExitCode;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** What the media servers were called for. */
  readonly scans: readonly string[];
}

export interface YearResult {
  readonly nights: readonly Night[];
  /** The ids of the chapters that must be on the disks at the end. */
  readonly expected: readonly string[];
  /** The ids of the chapters that are there, one for each file. */
  readonly saved: readonly string[];
  /** The ids that the webhook accepted, one for each time. */
  readonly announced: readonly string[];
  /** What the service found wrong with the requests. */
  readonly violations: readonly unknown[];
  /** What the files of the title say that ended. */
  readonly alpha: { readonly series: unknown; readonly comicInfos: readonly string[] };
}

export async function runNightlyYear(seed: number): Promise<YearResult> {
  const receiver = await startStubServer();
  const year = new NightlyYear(seed, receiver);
  try {
    return await year.run();
  } finally {
    await year.stop();
    await receiver.stop();
  }
}

class NightlyYear {
  #harness: SyncHarness | undefined;
  readonly #random: () => number;
  readonly #keychain = new Map<string, Uint8Array>();
  readonly #announced: string[] = [];
  readonly #uploaded = new Map<TitleName, number>(TITLES.map((name) => [name, 2]));
  readonly #expected = new Set<string>(
    TITLES.flatMap((name) => [chapterId(name, '1'), chapterId(name, '2')]),
  );
  readonly #scans: string[] = [];
  readonly #zone = process.env['TZ'];
  #night = 0;
  #endsSession = false;
  #isShareAway = false;
  #endOutage: (() => void) | undefined;

  constructor(
    seed: number,
    private readonly receiver: StubServer,
  ) {
    this.#random = seeded(seed);
    receiver.behave(({ path, body }) => {
      if (this.#has('hooksDead')) return this.#random() < 0.5 ? 'reset' : { status: 503 };
      if (path === '/hook') {
        const { chapters } = JSON.parse(body) as { chapters: readonly { id: string }[] };
        this.#announced.push(...chapters.map(({ id }) => id));
      } else this.#scans.push(path);
      return { status: 200 };
    });
  }

  get harness(): SyncHarness {
    if (!this.#harness) throw new Error('The year has not begun.');
    return this.#harness;
  }

  get #share(): string {
    return join(this.harness.base.folder, 'share');
  }

  async stop(): Promise<void> {
    if (this.#zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = this.#zone;
    await this.#harness?.stop();
  }

  async run(): Promise<YearResult> {
    await this.#start();
    const nights: Night[] = [];
    for (this.#night = 1; this.#night <= NIGHTS; this.#night += 1)
      nights.push(await this.#passNight());
    const folders = [this.#share, this.harness.base.output];
    const found = await Promise.all(folders.map((folder) => scanLibrary(folder)));
    const alpha = join(this.#share, 'Alpha');
    const files = found.flatMap(({ archives }) => archives.map(({ file }) => file));
    const ofAlpha = files.filter((file) => file.startsWith(alpha));
    return {
      nights,
      expected: [...this.#expected],
      saved: found.flatMap(({ archives }) => archives.map(({ chapterId: id }) => id)),
      announced: this.#announced,
      violations: this.harness.service.violations(),
      alpha: {
        series: JSON.parse(readFileSync(join(alpha, 'series.json'), 'utf8')) as unknown,
        comicInfos: await Promise.all(ofAlpha.map((file) => readEntry(file, 'ComicInfo.xml'))),
      },
    };
  }

  async #start(): Promise<void> {
    const library = (nowMs: number) =>
      syncLibrary(TITLES, nowMs - 90 * DAY_MS, { Delta: 'reading' });
    this.#harness = await SyncHarness.start(library, {
      onRequest: ({ path }) => {
        if (!this.#endsSession || path !== '/manga') return;
        this.#endsSession = false;
        this.harness.service.expireAccessTokens();
        this.harness.service.revokeRefreshTokens();
      },
    });
    const { url } = this.receiver;
    mkdirSync(this.#share);
    this.harness.write(
      `follows: { status: [reading] }
series:
  - { target: 'title:${titleId('Alpha')}', output: ${this.#share}, upgrade: true }
  - { target: 'title:${titleId('Beta')}', output: ${this.#share} }
  - { target: 'title:${titleId('Gamma')}', upgrade: true }
hooks:
  webhook: ${url}/hook
  komga: { url: '${url}', library: A }
  kavita: { url: '${url}' }
`,
      ', language: [en]',
    );
    for (const service of ['komga', 'kavita'] as const) await this.#storeKey(service);
    await this.#logIn();
  }

  #has(fault: Fault): boolean {
    return FAULTS[fault].some(([first, end]) => this.#night >= first && this.#night < end);
  }

  async #storeKey(service: HookService & keyof typeof KEYS): Promise<void> {
    await this.#run((context) => {
      const stdin = new PassThrough();
      stdin.end(JSON.stringify({ key: KEYS[service] }));
      return storeHookKey(service, { stdin: true }, { ...context, stdin: stdin as never });
    });
  }

  async #logIn(): Promise<void> {
    const { code } = await this.#run((context) => login({}, context), true);
    if (code !== 0) throw new Error(`The login ended with ${code}.`);
  }

  /** Runs a command with the keychain and the clock of this night. */
  #run(act: (context: CommandContext) => Promise<ExitCode | undefined>, hasVariables = false) {
    const { base, clock } = this.harness;
    const openKeychain = systemKeychains(clock, undefined, {
      call: ({ method, service, name, value }) => {
        if (this.#has('keychainSilent')) return new Promise<never>(() => undefined);
        const key = `${service} ${name}`;
        if (method === 'getSecret') return Promise.resolve(this.#keychain.get(key) ?? null);
        if (method === 'deleteCredential') return Promise.resolve(this.#keychain.delete(key));
        if (value) this.#keychain.set(key, value);
        return Promise.resolve(undefined);
      },
      stop: () => undefined,
    });
    const env = hasVariables ? base.loginEnvironment() : {};
    return base.command((context) => act({ ...context, openKeychain }), {
      env,
      clock: this.#clock(),
    });
  }

  #clock(): Clock {
    const { clock } = this.harness;
    const offsetMs = this.#has('clockAhead')
      ? 3 * HOUR_MS
      : this.#has('clockBehind')
        ? -3 * HOUR_MS
        : 0;
    return {
      monotonicMs: () => clock.monotonicMs(),
      wallMs: () => clock.wallMs() + offsetMs,
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
  }

  async #passNight(): Promise<Night> {
    this.harness.clock.advance(DAY_MS);
    process.env['TZ'] = ZONES[this.#night % ZONES.length];
    const hasNews = this.#change();
    await this.#breakOrMend();
    if (this.#night === OWNER_LOGS_IN) await this.#logIn();
    const flags = { file: this.harness.file, seriesMetadata: true };
    const { code, stdout, stderr } = await this.#run(
      (context) => sync(parseTexts(flags), context),
      this.#night >= VARIABLES_SINCE,
    );
    const faults = (Object.keys(FAULTS) as Fault[]).filter((fault) => this.#has(fault));
    const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
    return {
      night: this.#night,
      faults,
      hasNews,
      code,
      stdout: linesOf(stdout),
      stderr: linesOf(stderr),
      scans: this.#scans.splice(0),
    };
  }

  /** What happens on the service. */
  #change(): boolean {
    const isLast = this.#night > NIGHTS - 10;
    const growing = TITLES.filter((name) => name !== 'Alpha' || this.#night < ALPHA_ENDS);
    const uploads = growing.filter(() => !isLast && this.#random() < 0.1);
    for (const name of uploads) {
      const number = (this.#uploaded.get(name) ?? 0) + 1;
      this.#uploaded.set(name, number);
      this.#upload(name, String(number), 'Scans');
    }
    const again = UPLOADED_AGAIN[this.#night];
    if (again) this.#uploadAgain(...again);
    const change = {
      [ALPHA_ENDS]: { status: 'completed' },
      [ALPHA_IS_RATED]: { contentRating: 'pornographic' },
    }[this.#night] as Partial<TitleAttributes> | undefined;
    if (change) this.#editAlpha(change);
    return uploads.length > 0 || again !== undefined || change !== undefined;
  }

  #upload(name: TitleName, number: string, group: string): void {
    const readableMs = this.harness.clock.wallMs() - HOUR_MS;
    const chapter = syncChapter(name, number, readableMs, { group }, 1);
    this.harness.service.library.putChapter(chapter);
    this.#expected.add(chapter.id);
  }

  /** Without `upgrade`, the file of the deleted one stays. */
  #uploadAgain(name: TitleName, number: string): void {
    const old = chapterId(name, number);
    this.harness.service.library.removeChapter(old);
    this.#upload(name, number, 'Scans II');
    this.#expected.delete(name === 'Beta' ? chapterId(name, number, 'Scans II') : old);
  }

  #editAlpha(change: Partial<TitleAttributes>): void {
    const { library } = this.harness.service;
    const title = library.title(titleId('Alpha'));
    if (!title) throw new Error('Alpha is gone.');
    const at = `${new Date(this.harness.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;
    library.putTitle(editTitle(title, at, change));
  }

  async #breakOrMend(): Promise<void> {
    const { service, base } = this.harness;
    const disk = join(base.folder, 'disk');
    const isAway = this.#has('shareAway');
    if (isAway && !this.#isShareAway) {
      renameSync(this.#share, disk);
      // An empty mount point, or none.
      if (this.#random() < 0.5) mkdirSync(this.#share);
    } else if (!isAway && this.#isShareAway) {
      rmSync(this.#share, { recursive: true, force: true });
      renameSync(disk, this.#share);
    }
    this.#isShareAway = isAway;
    if (this.#has('serviceAway'))
      this.#endOutage ??= service.intercept('/', () => ({ status: 503 }));
    else {
      this.#endOutage?.();
      this.#endOutage = undefined;
    }
    await service.setReportHost(this.#has('reportsDead') ? 'dead' : 'alive');
    this.#endsSession = this.#has('sessionEnds');
  }
}
