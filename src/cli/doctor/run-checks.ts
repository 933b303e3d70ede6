/** What `tankobon doctor` checks, and how the checks are run: one after the other, whatever the others found. */
import { toTankobonError } from '../../core/system-errors.js';
import { raceWithSignal } from '../../core/abort.js';
import type { BareCommandContext } from '../command-context.js';
import type { CheckEvent, Finding } from '../../events/doctor-events.js';
import type { CheckName } from '../../events/reasons.js';

export interface Check {
  readonly name: CheckName;
  /** What it throws is an error finding. */
  readonly run: () => readonly Finding[] | Promise<readonly Finding[]>;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const none = (message: string): Finding => ({ status: 'none', message });
export const warning = (message: string, hint: string): Finding => ({
  status: 'warning',
  message,
  hint,
});

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
        return [{ status: 'error', message, hint } as const];
      },
    );
    for (const finding of findings) yield { type: 'check', check: name, ...finding };
  }
}
