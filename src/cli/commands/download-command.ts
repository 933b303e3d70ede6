/** `tankobon download`: its options; the work is in download.ts. */
import type { Command } from 'commander';
import { addOptions } from '../command-options.js';
import type { CommandRunner } from '../command-context.js';
import { addExamples, addMore } from '../help-format.js';
import type { GivenOptions } from '../../config/options.js';

export function downloadCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('download')
    .description('download chapters, each as a CBZ file')
    .argument(
      '[target...]',
      'MangaDex URL or UUID of a title, chapter, list, group or author; follows: what the account follows',
    )
    .action((targets: string[], options: GivenOptions) =>
      run(async (context) => {
        const { download } = await import('./download.js');
        return download(...withCoverTarget(targets, options), context);
      }),
    );
  addOptions(command, 'download');
  addExamples(command, [
    ['tankobon download https://mangadex.org/chapter/UUID', 'one chapter, into this folder'],
    [
      'tankobon download title:UUID --language en -o ~/comics',
      'a whole title; run it again for new chapters',
    ],
    ['tankobon download title:UUID --dry-run', 'print what this would download, and why'],
  ]);
  return addMore(command, 'settings', 'names', 'environment');
}

/** The word after `--cover` is a target unless it is `all`. */
function withCoverTarget(
  targets: readonly string[],
  options: GivenOptions,
): [targets: readonly string[], options: GivenOptions] {
  const { cover }: { readonly cover?: string | boolean } = options;
  return typeof cover !== 'string' || cover === 'all'
    ? [targets, options]
    : [[cover, ...targets], { ...options, cover: true }];
}
