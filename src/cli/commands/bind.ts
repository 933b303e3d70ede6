/** `tankobon bind`: binds chapters into books of each format. Works offline. */
import type { Command } from 'commander';
import type { GivenOptions } from '../../config/options.js';
import { FILE_LABELS } from '../../config/containers.js';
import { EXIT, exitCodeOf, type ExitCode } from '../../core/exit-codes.js';
import { formatList } from '../../core/human-format.js';
import { addOptions, collectPaths } from '../command-options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addExamples } from '../help-format.js';
import { collectLeftOut } from '../output/bind-messages.js';
import { writeHints } from '../output/error-message.js';

export function bindCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('bind')
    .description(
      `bind chapters into volumes: ${formatList([...FILE_LABELS, 'folders'], 'or')}; works offline`,
    )
    .argument('<file...>', 'CBZ files, or folders with CBZ files', collectPaths)
    .action((files: string[], options: GivenOptions) =>
      run((context) => bind(files, options, context)),
    );
  return addExamples(addOptions(command, 'bind'), [
    ['tankobon bind ~/comics', 'every volume in that folder as a CBZ, into this folder'],
    ['tankobon bind ~/comics --for kobo-libra -o ~/books', 'for the screen of an e-reader'],
    ['tankobon bind ~/comics --format epub -o ~/books', 'as EPUB, with the original images'],
    ['tankobon bind ~/comics --dry-run', 'print what this would write, and what is missing'],
  ]);
}

async function bind(
  files: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { collectChunks, keepHeapSmall } = await import('../../core/gc-tuning.js');
  const { bindFiles } = await import('../../books/bind-books.js');
  const { chooseObserver } = await import('../output/choose-observer.js');
  // To write books takes as long with a small heap, and 10 MiB less.
  keepHeapSmall(options.dryRun === true ? {} : { smallGrowingPercent: 60 });
  collectChunks();
  const observer = await chooseObserver(options, context, 'reading');
  const { observe, reportLeftOut } = collectLeftOut(observer, options.json);
  try {
    const { signal } = context;
    const warn = (message: string): void => {
      observer.observe({ type: 'warning', message });
    };
    const errors = await bindFiles(files, options, context, { observe, warn, signal });
    if (options.dryRun) {
      reportLeftOut();
      return errors.length > 0 ? EXIT.incomplete : EXIT.done;
    }
    observer.close();
    writeHints(errors, context);
    return exitCodeOf(errors);
  } finally {
    observer.close();
  }
}
