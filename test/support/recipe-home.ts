/** A home folder in which recipes of the documentation are run. The practice service is in the place of MangaDex. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';

/** Not a folder of any PATH by default: as where nvm or npm's own prefix puts a command. */
const PROGRAMS = 'programs';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class RecipeHome {
  private constructor(
    readonly folder: string,
    readonly service: PracticeService,
  ) {}

  static async create(): Promise<RecipeHome> {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-recipes-'));
    for (const name of [PROGRAMS, 'work']) mkdirSync(join(folder, name));
    return new RecipeHome(folder, await startPracticeService());
  }

  /** The environment of the owner's shell. */
  get env(): Readonly<Record<string, string>> {
    return {
      ...this.service.environment,
      HOME: this.folder,
      TANKOBON_HOME: this.path('state'),
      PATH: `${this.path(PROGRAMS)}:${process.env['PATH'] ?? ''}`,
    };
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Puts a shell script among the owner's programs. */
  addProgram(name: string, script: string): void {
    const file = this.path(PROGRAMS, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** The command of the package. */
  addTankobon(packedProgram: string): void {
    this.addProgram('tankobon', `exec '${process.execPath}' '${packedProgram}' "$@"`);
  }

  /** Runs commands as a shell of the owner does; the first that fails ends it. */
  run(script: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const options = { cwd: this.path('work'), env: { ...this.env, ...env } };
    return new Promise((done) => {
      const child = execFile('sh', ['-e', '-c', script], options, (_error, stdout, stderr) => {
        done({ code: child.exitCode, stdout, stderr });
      });
    });
  }

  /** The files below a folder that end so. */
  files(folder: string, end: string): string[] {
    const names = readdirSync(this.path(folder), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith(end));
  }

  async stop(): Promise<void> {
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
