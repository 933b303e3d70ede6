/** Binds the chapters of files and folders, for the command line and for programs. */
import { withLibraryLock } from '../config/library-lock.js';
import type { AppContext } from '../config/context.js';
import type { GivenOptions } from '../config/options.js';
import type { TankobonError } from '../core/errors.js';
import { bindBooks } from '../books/bind-books.js';
import { observePlan, planBooks } from '../books/plan-books.js';
import type { ObserveBind } from '../events/bind-events.js';
import { bindOptions, bindRequest } from './bind-request.js';
import { checkOutputFolder } from './output-folder.js';

interface BindListeners {
  readonly observe: ObserveBind;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Resolves with the errors of books and archives; of a dry run, with those of archives. Throws UsageError before anything
 * is written.
 */
export async function bindFiles(
  files: readonly string[],
  given: GivenOptions,
  context: AppContext,
  { observe, warn, signal }: BindListeners,
): Promise<readonly TankobonError[]> {
  const { settings, clock, paths } = context;
  const request = {
    ...bindRequest(files, bindOptions(given, settings), clock.wallMs()),
    stateFolder: paths.state,
  };
  if (given.dryRun) {
    const plan = await planBooks(request, signal);
    observePlan(plan, observe);
    return plan.failed.map(({ error }) => error);
  }
  await checkOutputFolder(request.output);
  const lock = { isExclusive: false, signal, warn };
  const { errors } = await withLibraryLock(request.output, context, lock, () =>
    bindBooks(request, observe, signal),
  );
  return errors;
}
