/** What `tankobon doctor` checks, and how the checks are run: one after the other, whatever the others found. */
import { toTankobonError } from '../../core/system-errors.js';
import { raceWithSignal } from '../../core/abort.js';
import type { BareCommandContext } from '../command-context.js';

/** The checks in their order, with what each is about; those of `--online` are last. */
export const CHECKS = {
  version: 'the versions of tankobon and Node.js, and the platform',
  settings: 'the settings file, the variables, and the addresses of the service',
  'state-folder': "the folder of tankobon's own files, and who can write to it",
  'state-space': 'free space in that folder',
  locks: 'locks between processes: those of the operating system, or their replacement',
  ledger: 'the rate ledger: its folder or server, and any cooldown',
  reports: 'health reports: how many wait, and whether the report host was up at last',
  subscriptions: 'the subscriptions file',
  keychain: 'whether a login can be stored in the keychain of the operating system',
  login: 'the stored login; not sent',
  hook: 'a hook of that file: its key, or its program; not called',
  'output-folder':
    'an output folder, whether it can be written to, and whether its disk may not be mounted',
  'output-space': 'free space in that folder',
  'file-system': 'what the file system of that folder can do',
  'replaced-files': 'files in it that were replaced and are kept for a while',
  api: '`--online`: whether the API answers, and agrees about the time',
  'token-endpoint':
    '`--online`: whether the authentication service renews the login; without a login it is not contacted',
  'report-host':
    '`--online`: whether the report host takes the reports that wait; without any it is not contacted',
} as const;
type CheckName = keyof typeof CHECKS;

export interface Finding {
  /** `warning`: tankobon works, but something is missing or unusual. */
  readonly status: 'ok' | 'warning' | 'error';
  /** What was found, and where. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

export interface CheckEvent extends Finding {
  readonly type: 'check';
  readonly check: CheckName;
}

/** The last line of `--json`: the numbers of findings. */
export interface DoctorSummary {
  readonly type: 'doctor-summary';
  readonly ok: number;
  readonly warnings: number;
  readonly errors: number;
}

export interface Check {
  readonly name: CheckName;
  /** What it throws is an error finding. */
  readonly run: () => readonly Finding[] | Promise<readonly Finding[]>;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
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
