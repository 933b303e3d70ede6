/** A folder that all users of the machine can write to, and the program as each of them. Needs root. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { createLibrary } from '../../src/practice-server/library/library.js';
import { start } from './command.js';
import { copyProgram, type ReadableProgram } from './readable-program.js';
import { chapterId, DAY_MS, syncChapter, syncTitle } from './sync-harness.js';
import { NO_LIMITS } from './no-limits.js';

/** Ids that no real user has. */
export const ALICE = 64_001;
export const MALLORY = 64_002;

const NUMBERS = ['1', '2', '3'];
export const IDS = NUMBERS.map((number) => chapterId('Alpha', number));

/** Three chapters of one volume. */
function volumeLibrary() {
  const readableMs = Date.now() - DAY_MS;
  const chapters = NUMBERS.map((number) =>
    syncChapter('Alpha', number, readableMs, { volume: '1' }),
  );
  return createLibrary({ titles: [syncTitle('Alpha')], chapters });
}

export class SharedFolder {
  private constructor(
    readonly service: PracticeService,
    private readonly copy: ReadableProgram,
    readonly folder: string,
    readonly output: string,
  ) {}

  static async start(): Promise<SharedFolder> {
    const service = await startPracticeService({ limits: NO_LIMITS, library: volumeLibrary() });
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-shared-'));
    chmodSync(folder, 0o755);
    const output = join(folder, 'comics');
    mkdirSync(output);
    chmodSync(output, 0o777);
    const shared = new SharedFolder(service, copyProgram(), folder, output);
    for (const uid of [0, ALICE, MALLORY]) {
      mkdirSync(shared.homeOf(uid), { mode: 0o700 });
      chownSync(shared.homeOf(uid), uid, uid);
    }
    return shared;
  }

  async stop(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.copy.folder, { recursive: true });
    await this.service.stop();
  }

  homeOf(uid: number): string {
    return join(this.folder, `home-${uid}`);
  }

  start(uid: number, ...words: readonly string[]) {
    const env = { ...this.service.environment, TANKOBON_HOME: this.homeOf(uid) };
    return start(words, { uid, cwd: '/', env, program: this.copy.program });
  }

  run(uid: number, ...words: readonly string[]) {
    return this.start(uid, ...words).finished;
  }

  /** All files below the output folder, which others may write to, also in its folders. */
  give(uid: number): void {
    for (const path of this.#paths()) {
      if (lstatSync(path).isDirectory()) chmodSync(path, 0o777);
      else chownSync(path, uid, uid);
    }
  }

  /** The files of a user, with what shows that one was replaced, rewritten or removed. */
  filesOf(uid: number): ReadonlyMap<string, string> {
    const files = this.#paths().filter((path) => lstatSync(path).isFile());
    return new Map(
      files.flatMap((path) => {
        const stats = lstatSync(path);
        const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
        const state = `${stats.ino} ${stats.mode} ${stats.gid} ${digest}`;
        return stats.uid === uid ? [[relative(this.output, path), state] as const] : [];
      }),
    );
  }

  find(name: RegExp): string {
    const found = this.#paths().find((path) => name.test(path));
    if (found === undefined) throw new Error(`${String(name)} is not in ${this.output}`);
    return found;
  }

  #paths(): string[] {
    return readdirSync(this.output, { recursive: true, encoding: 'utf8' }).map((path) =>
      join(this.output, path),
    );
  }
}
