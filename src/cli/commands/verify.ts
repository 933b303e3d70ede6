/** `tankobon verify`: finds damaged archives and books, offline; `--repair` replaces them. */
import type { Command } from 'commander';
import type { VerifyProgress } from '../../collection/verify-files.js';
import { eventPaths } from '../../events/printed-event.js';
import { VERIFY_EVENTS, type VerifyEvent } from '../../events/verify-events.js';
import type { FileStore } from '../../library/store.js';
import type { DownloadListeners } from '../../download/download-session.js';
import type { GivenOptions } from '../../config/options.js';
import { FILE_LABELS } from '../../config/containers.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { fileErrorReason } from '../../core/files.js';
import { formatList } from '../../core/human-format.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { addOptions, collectPaths } from '../command-options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addExamples } from '../help-format.js';
import { warnTo } from '../output/error-message.js';
import { eventLine, writeEvent } from '../output/json-line.js';
import { writeMessage } from '../output/safe-stream.js';

const NOT_REPAIRED =
  'Files of other programs, and files of which nothing says any more what they held, are not repaired: move them away, and download or bind them again.';
const EDITED =
  'Edited files stay as they are. To take them as they are for good, add: --accept. To download their chapters again: --repair --edited';
const UNREADABLE =
  'Check the permissions of what was not checked, and the disk, then run the same command again.';

export function verifyCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('verify')
    .description(
      `find damaged ${formatList(FILE_LABELS, 'and')} files and folder books; works offline`,
    )
    .argument('<file...>', 'files, or folders that contain them', collectPaths)
    .action((files: string[], options: GivenOptions) =>
      run((context) => verify(files, options, context)),
    );
  return addExamples(addOptions(command, 'verify'), [
    [
      'tankobon verify ~/comics',
      'prints the damaged files, and exits with code 3 if there are any or a folder cannot be read',
    ],
    ['tankobon verify ~/comics --accept', 'takes edited files as they are for good'],
    ['tankobon verify ~/comics --since-last', 'only files that are new, changed or of a month ago'],
  ]);
}

async function verify(
  files: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  if (options.edited && !options.repair)
    throw new UsageError('bad-option', '--edited has no effect without --repair.', {
      hint: 'Add: --repair',
    });
  const { FileStore } = await import('../../library/store.js');
  const { verifyFiles } = await import('../../collection/verify-files.js');
  const { keepHeapSmall } = await import('../../core/gc-tuning.js');
  keepHeapSmall();
  const { stdout, stderr, signal, clock, paths } = context;
  const store = new FileStore(paths.state);
  const { display, update } = (options.json ? undefined : await showProgress(context)) ?? {};
  const observe = (event: VerifyEvent): void => {
    display?.eraseForText();
    if (options.json) stdout.write(eventLine(VERIFY_EVENTS, event));
    else {
      const isFinding = event.type === 'file-damaged' || event.type === 'file-edited';
      writeEvent(VERIFY_EVENTS, event, isFinding ? stdout : stderr);
    }
  };
  const repair = async (damaged: readonly string[], edited: readonly string[]) => {
    display?.close();
    return repairFound(damaged, edited, context, store);
  };
  const kind = options.accept ? 'accept' : 'check';
  const mode = options.repair
    ? ({ kind: 'repair', edited: options.edited === true, repair } as const)
    : ({ kind } as const);
  try {
    const { damaged, edited, editedLeft, ...unread } = await verifyFiles(files, {
      observe: (event) => {
        if (event.type === 'verify-summary') display?.close();
        observe(event);
      },
      onProgress: update ?? (() => undefined),
      mode,
      store,
      sinceLast: options.sinceLast === true,
      nowMs: clock.wallMs(),
      signal,
    });
    if (edited > 0 && !options.accept && !options.edited) stderr.write(`hint: ${EDITED}\n`);
    if (damaged > 0) stderr.write(`hint: ${options.repair ? NOT_REPAIRED : repairHint(files)}\n`);
    const unreadable = unread.unreadableFiles + unread.unreadableFolders;
    if (unreadable > 0) stderr.write(`hint: ${UNREADABLE}\n`);
    return damaged + editedLeft + unreadable > 0 ? EXIT.incomplete : EXIT.done;
  } finally {
    display?.close();
    // Without it the next check takes longer.
    await store.save().catch((error: unknown) => {
      warnTo(stderr)(`What was checked was not stored: ${fileErrorReason(error)}`);
    });
  }
}

function repairHint(files: readonly string[]): string {
  return `To download the damaged ones again, where tankobon saved them, run: tankobon verify --repair ${files.map(shellQuoted).join(' ')}`;
}

/** Prints only problems: a repaired file is an event of its own. */
async function repairFound(
  damaged: readonly string[],
  edited: readonly string[],
  context: CommandContext,
  store: FileStore,
) {
  const { repairFiles } = await import('../../collection/repair.js');
  const { EventMessages, isPrintedIfQuiet } = await import('../output/event-messages.js');
  const { APP_EVENTS } = await import('../output/observer.js');
  const { stderr, clock, signal } = context;
  const messages = new EventMessages({ savedLines: false }, clock);
  const observe: DownloadListeners['observe'] = (event) => {
    if (!isPrintedIfQuiet(event) && event.type !== 'waiting') return;
    for (const line of messages.linesFor(event))
      writeMessage(stderr, `${line}\n`, eventPaths(APP_EVENTS, event));
  };
  return repairFiles(damaged, edited, context, { observe }, signal, store);
}

/** Shows one bar. Resolves with undefined where standard error is not a terminal. */
async function showProgress(context: CommandContext) {
  const { stderr, env, clock } = context;
  if (!stderr.isTTY || env['TERM'] === 'dumb') return undefined;
  const { BarDisplay } = await import('../output/bar-display.js');
  const { progressLine } = await import('../output/progress-line.js');
  const startMs = clock.monotonicMs();
  let current: VerifyProgress = { checked: 0, total: 0, bytes: 0, totalBytes: 0 };
  const display = new BarDisplay(context, () => current.bytes / (current.totalBytes || 1));
  display.add(1, 0, (_params, format) => {
    const { checked: done, total, bytes, totalBytes } = current;
    const msPerByte = bytes > 0 ? (clock.monotonicMs() - startMs) / bytes : undefined;
    const leftMs = msPerByte === undefined ? undefined : msPerByte * (totalBytes - bytes);
    const bytesPerSecond = msPerByte === undefined ? undefined : 1_000 / msPerByte;
    const label = { number: 'files', title: '' };
    return progressLine(
      { label, done, total, ...(bytesPerSecond && { bytesPerSecond, leftMs }) },
      format,
    );
  });
  const update = (progress: VerifyProgress): void => {
    current = progress;
  };
  return { display, update };
}
