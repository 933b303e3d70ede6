/** Every command that reads the files of a folder, in the test's process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PracticeService } from '../../src/practice-server/practice-service.js';
import type { Finished } from './command.js';
import { tankobonHere } from './in-process.js';
import { titleId } from './sync-harness.js';
import { virtualClock } from './virtual-clock.js';

/** The words of each command for the folder `manga`; what they write is in it, or in `home`. */
export function collectionCommands(
  manga: string,
  home: string,
): Readonly<Record<string, string[]>> {
  const title = `title:${titleId('Alpha')}`;
  return {
    verify: ['verify', manga],
    adopt: ['adopt', manga],
    overview: ['overview', manga, '--html', join(home, 'page.html')],
    bind: ['bind', manga, '--by', 'title', '-o', join(home, 'books')],
    retag: ['retag', manga, '--dry-run', '--rename-titles'],
    download: ['download', title, '-o', manga, '--update', '--dry-run'],
    sync: ['sync', '--file', join(home, 'subscriptions.yaml')],
    'adopt --apply': ['adopt', manga, '--apply'],
    retagging: ['retag', manga, '--rename-titles'],
    'verify --repair': ['verify', manga, '--repair'],
  };
}

/** Runs each of them at the service, in this order. */
export async function runCollectionCommands(
  manga: string,
  home: string,
  service: PracticeService,
): Promise<ReadonlyMap<string, Finished>> {
  writeSubscription(manga, home);
  const env = { ...service.environment, TANKOBON_HOME: home };
  const clock = virtualClock();
  const results = new Map<string, Finished>();
  for (const [name, words] of Object.entries(collectionCommands(manga, home)))
    results.set(name, await tankobonHere(words, { env, clock }));
  return results;
}

/** The file that `sync` reads. */
export function writeSubscription(manga: string, home: string): void {
  mkdirSync(home, { recursive: true });
  const subscription = `{ target: 'title:${titleId('Alpha')}' }`;
  const text = `defaults: { output: ${JSON.stringify(manga)} }\nseries: [${subscription}]\n`;
  writeFileSync(join(home, 'subscriptions.yaml'), text, { mode: 0o600 });
}
