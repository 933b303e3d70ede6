/** The questions of `tankobon adopt --choose`: the title of a series, and the chapter of a file. */
import { basename, dirname } from 'node:path';
import {
  recognizeInTitle,
  type RecognizeDeps,
  type Recognized,
  type Unrecognized,
} from '../../collection/recognize-files.js';
import type { Candidate } from '../../collection/match-names.js';
import type { GivenOptions } from '../../config/options.js';
import { groupBy } from '../../core/group-by.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { chapterFields } from '../../selection/chapter-fields.js';
import { looksLikeTarget, parseTarget } from '../../selection/target.js';
import type { CommandContext } from '../command-context.js';
import { fitToWidth } from '../output/progress-line.js';
import { askText, choiceColumns, choose } from '../prompt.js';

/** Resolves with the files whose chapter was chosen. Esc and Ctrl-C cancel the command. */
export async function chooseChapters(
  left: readonly Unrecognized[],
  options: GivenOptions,
  deps: RecognizeDeps,
  context: CommandContext,
): Promise<readonly Recognized[]> {
  const chosen: Recognized[] = [];
  const undecided = left.filter(({ reason }) => reason !== 'no-title');
  const untitled = left.filter(({ reason }) => reason === 'no-title');
  for (const [folder, files] of groupBy(untitled, ({ file }) => dirname(file.file))) {
    const titleId = await askTitle(folder, files.length, context);
    if (titleId === undefined) continue;
    const languages = options.language ?? context.settings.language ?? [];
    const inFolder = files.map(({ file }) => file);
    const found = await recognizeInTitle(inFolder, titleId, languages, deps);
    for (const each of found.recognized) chosen.push(each);
    for (const each of found.left) undecided.push(each);
  }
  for (const each of undecided) {
    const candidate = each.candidates.length > 0 ? await askChapter(each, context) : undefined;
    if (candidate === 'stop') break;
    if (candidate) chosen.push({ file: each.file, ...candidate, evidence: ['choice'] });
  }
  return chosen;
}

async function askTitle(
  folder: string,
  count: number,
  context: CommandContext,
): Promise<string | undefined> {
  const files = `${pluralize(count, 'file')} in ${printableLine(folder)}`;
  const answer = await askText(context, {
    message: `The address or UUID of the title of ${files} (empty: skip)`,
    validate: (text) => text.trim() === '' || looksLikeTarget(text) || 'Not an address or UUID',
  });
  return answer.trim() === '' ? undefined : parseTarget(answer).id;
}

async function askChapter(
  { file, candidates }: Unrecognized,
  context: CommandContext,
): Promise<Candidate | 'stop' | undefined> {
  const name = printableLine(basename(file.file));
  const columns = choiceColumns(context);
  return choose<Candidate | 'stop' | undefined>(
    context,
    `Which chapter is ${name} (${pluralize(file.pages, 'page')})?`,
    [
      ...candidates.map((candidate) => ({ name: describe(candidate, columns), value: candidate })),
      { name: 'None of them', value: undefined },
      { name: 'Skip all the others', value: 'stop' },
    ],
  );
}

/** On one line, since the menu shows few: what distinguishes the candidates first. */
function describe({ chapter, title }: Candidate, columns: number): string {
  const { volume, number, chapterTitle, group, language, series } = chapterFields(
    chapter,
    title?.name,
  );
  const parts = [
    volume === undefined ? undefined : `Vol. ${volume}`,
    number === undefined ? undefined : `Ch. ${number}`,
    language === undefined ? undefined : `(${language})`,
    chapter.pages === undefined ? undefined : pluralize(chapter.pages, 'page'),
    group === undefined ? undefined : `[${group}]`,
    chapterTitle === undefined ? undefined : `"${chapterTitle}"`,
    series,
  ];
  const text = printableLine(parts.filter((part) => part !== undefined).join(' '));
  return fitToWidth(text, columns).trimEnd();
}
