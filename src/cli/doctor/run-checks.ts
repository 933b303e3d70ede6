/** What `tankobon doctor` checks, and how the checks are run: one after the other, whatever the others found. */
import { toTankobonError } from '../../core/system-errors.js';
import { raceWithSignal } from '../../core/abort.js';
import type { BareCommandContext } from '../command-context.js';
import type { CheckEvent, Finding } from '../../events/doctor-events.js';
import type { CheckName } from '../../events/reasons.js';

export interface Check {
  readonly name: CheckName;
  /** What it throws is an error finding. */
  readonly run: () => Findings | Promise<Findings>;
}

export type Findings = Finding | readonly Finding[];

const finding = (status: Finding['status']) => (message: string, hint?: string) => ({
  status,
  message,
  hint,
});
export const ok: (message: string) => Finding = finding('ok');
export const none: (message: string) => Finding = finding('none');
export const warning: (message: string, hint: string) => Finding = finding('warning');
export const failure: (message: string, hint: string) => Finding = finding('error');

/** Rejects only if the run is interrupted. */
export async function* runChecks(
  checks: readonly Check[],
  { redactor, signal }: Pick<BareCommandContext, 'redactor' | 'signal'>,
): AsyncGenerator<CheckEvent> {
  for (const { name, run } of checks) {
    signal.throwIfAborted();
    const findings = await raceWithSignal(Promise.resolve().then(run), signal).catch(
      (thrown: unknown) => {
        signal.throwIfAborted();
        const { message, hint } = toTankobonError(thrown, redactor);
        return failure(message, hint);
      },
    );
    for (const each of [findings].flat()) yield { type: 'check', check: name, ...each };
  }
}
