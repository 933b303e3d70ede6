/** `tankobon sync status`: the last run, the next run, and the chapters that wait for a preferred group. Sends nothing. */
import { subscriptionsPath } from '../../sync/subscriptions.js';
import {
  formatCount,
  formatDuration,
  formatLocalTime,
  isoTime,
  pluralize,
} from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { readSyncStatus, type SyncState } from '../../sync/history.js';
import type { CommandContext } from '../command-context.js';
import type { GivenOptions } from '../../config/options.js';
import { jsonLine } from '../output/json-line.js';

type RunRecord = NonNullable<SyncState['lastRun']>;

export async function syncStatus(flags: GivenOptions, context: CommandContext): Promise<undefined> {
  const { stdout, clock } = context;
  const { state, running } = await readSyncStatus(subscriptionsPath(flags.file, context), context);
  const nowMs = clock.wallMs();
  stdout.write(
    flags.json
      ? jsonLine(asJson(state, running, nowMs))
      : `${asLines(state, running, nowMs).join('\n')}\n`,
  );
}

function waitingChapters({ titles }: SyncState) {
  return Object.entries(titles)
    .flatMap(([title, { name = title, waiting }]) =>
      waiting.map((chapter) => ({ title, name, ...chapter })),
    )
    .sort((a, b) => a.untilMs - b.untilMs);
}

/** Only a process that is running has a next run. */
function nextRunMs({ nextRunMs: next }: SyncState, running: string | undefined, nowMs: number) {
  return running !== undefined && next !== undefined && next > nowMs ? next : undefined;
}

function asJson(state: SyncState, running: string | undefined, nowMs: number) {
  const { startedAtMs, endedAtMs, ...counts } = state.lastRun ?? {};
  return {
    running,
    lastRun: state.lastRun && {
      startedAt: isoTime(startedAtMs),
      endedAt: isoTime(endedAtMs),
      ...counts,
      hooksFailed: state.hooksFailed,
    },
    nextRun: isoTime(nextRunMs(state, running, nowMs)),
    waiting: waitingChapters(state).map(({ untilMs, ...rest }) => ({
      ...rest,
      until: isoTime(untilMs),
    })),
  };
}

function asLines(state: SyncState, running: string | undefined, nowMs: number): string[] {
  const { lastRun } = state;
  const next = nextRunMs(state, running, nowMs);
  const waiting = waitingChapters(state);
  return [
    ...(running === undefined ? [] : [`Running: ${running}`]),
    lastRun ? `Last run: ${describeRun(lastRun, nowMs)}` : 'Last run: never',
    ...(next === undefined ? [] : [`Next run: ${formatLocalTime(next, nowMs)}`]),
    ...failureLines(lastRun?.failures),
    ...hookLines(state.hooksFailed),
    ...(waiting.length === 0 ? [] : ['Waiting for a group:']),
    ...waiting.map(
      ({ name, number, untilMs }) =>
        `  ${printableLine(name)}, chapter ${number ?? '–'}: until ${formatLocalTime(untilMs, nowMs)}`,
    ),
  ];
}

function failureLines(failures: RunRecord['failures'] = []): string[] {
  const lines = failures.map(
    ({ target, name = target, message }) => `  ${printableLine(`${name}: ${message}`)}`,
  );
  return lines.length === 0 ? [] : ['Failed:', ...lines];
}

function hookLines(failures: SyncState['hooksFailed'] = []): string[] {
  const lines = failures.map(({ hook, message }) => `  ${hook}: ${printableLine(message)}`);
  return lines.length === 0
    ? []
    : [
        'Hooks that failed; the next run calls them again with new chapters and lasting failures:',
        ...lines,
      ];
}

function describeRun(
  { startedAtMs, endedAtMs, saved, replaced, failed, stopped }: NonNullable<SyncState['lastRun']>,
  nowMs: number,
): string {
  const parts = [
    formatLocalTime(startedAtMs, nowMs),
    formatDuration(endedAtMs - startedAtMs),
    pluralize(saved, 'new chapter'),
    ...(replaced > 0 ? [`${formatCount(replaced)} replaced`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(stopped === undefined ? [] : [`stopped: ${stopped}`]),
  ];
  return parts.join(', ');
}
