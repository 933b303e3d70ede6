/** `--dry-run`: what would be done and why, and what it would ask of the service at least. Sends nothing more. */
import { minTimeMs } from '../../download/estimate.js';
import { SKIP_REASONS } from '../../download/events.js';
import type { Plan } from '../../download/plan.js';
import { quotasOf } from '../../rate-limit/quotas.js';
import { formatDuration, pluralize } from '../output/sizes.js';
import type { CommandContext } from '../command-context.js';

export function printPlan(plan: Plan, json: boolean, run: Pick<CommandContext, 'stdout'>): void {
  const requests = plan.chapters.length;
  const leastMs = minTimeMs(requests, quotasOf('any', 'GET', '/at-home/server/any'));
  run.stdout.write(json ? asJson(plan, requests, leastMs) : asText(plan, requests, leastMs));
}

function asJson(plan: Plan, requests: number, leastMs: number): string {
  const lines = [
    ...plan.chapters.map(({ job, why }) => ({
      type: 'planned',
      chapter: job.id,
      file: job.file,
      why,
    })),
    ...plan.skipped.map(({ id, reason, file }) => ({
      type: 'chapter-skipped',
      chapter: id,
      reason,
      file,
    })),
    ...plan.excluded.map(({ chapter, reason, explanation }) => ({
      type: 'passed-over',
      chapter: chapter.id,
      reason,
      why: explanation,
    })),
    ...plan.failed.map(({ id, error }) => ({
      type: 'chapter-failed',
      chapter: id,
      reason: error.code,
      message: error.message,
    })),
    { type: 'plan', chapters: plan.chapters.length, requests, leastTimeMs: leastMs },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function asText(plan: Plan, requests: number, leastMs: number): string {
  const lines = [
    ...plan.chapters.map(({ job, why }) => `${job.id}  ${job.file}\n  ${why}`),
    ...plan.skipped.map(
      ({ id, reason, file }) => `${id}  skipped: ${SKIP_REASONS[reason]}${file ? ` ${file}` : ''}`,
    ),
    ...excludedLines(plan),
    ...plan.failed.map(({ id, error }) => `${id}  cannot be had: ${error.message}`),
    `${pluralize(plan.chapters.length, 'chapter')} to load, with ${pluralize(requests, 'API request')} or more; ` +
      `the service's limits allow it in ${formatDuration(leastMs)} at the least.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Other releases of a chapter that is taken are worth a line; what was not asked for is only counted. */
function excludedLines({ excluded }: Plan): string[] {
  const releases = excluded.filter(({ reason }) => reason === 'other-release');
  const others = excluded.length - releases.length;
  return [
    ...releases.map(({ chapter, explanation }) => `${chapter.id}  not taken: ${explanation}`),
    ...(others > 0 ? [`${pluralize(others, 'release')} outside what was asked for`] : []),
  ];
}
