/** The lines of `adopt` for people: a heading for each folder, and a row for each file in it. Pure. */
import { basename, dirname } from 'node:path';
import type { AdoptEvent, CandidateFields } from '../../collection/adopt-events.js';
import { EVIDENCE } from '../../collection/match-names.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { chapterName } from '../../selection/chapter-fields.js';

type FileEvent = AdoptEvent & { readonly type: 'file-recognized' | 'file-unrecognized' };

const UNREADABLE_METADATA = '    its ComicInfo.xml cannot be read: only its name and pages count';

export class AdoptLines {
  #folder: string | undefined;

  linesFor(event: FileEvent): readonly string[] {
    const folder = dirname(event.file);
    const heading = folder === this.#folder ? [] : [printableLine(folder)];
    this.#folder = folder;
    const name = printableLine(basename(event.file));
    return [
      ...heading,
      ...rows(event).map((row) => (row.startsWith(' ') ? row : `  ${name}${row}`)),
    ];
  }
}

/** The first row begins after the name of the file. */
function rows(event: FileEvent): readonly string[] {
  const broken = event.metadata === 'unreadable' ? [UNREADABLE_METADATA] : [];
  if (event.type === 'file-recognized') {
    const evidence = event.evidence.map((each) => EVIDENCE[each]).join(', ');
    return [`: ${nameOf(event)}`, `    ${event.confidence}: ${evidence}`, ...broken];
  }
  const { candidates, message } = event;
  return [
    `: not recognized: ${message}`,
    ...broken,
    ...candidates.map((each) => `    may be ${nameOf(each)}${pagesOf(each)}`),
  ];
}

function nameOf(fields: CandidateFields): string {
  return chapterName(fields) ?? fields.chapter;
}

function pagesOf({ pages }: CandidateFields): string {
  return pages === undefined ? '' : `, ${pluralize(pages, 'page')}`;
}

/** Empty if a question was cancelled before any file was decided. */
export function adoptSummary(
  event: AdoptEvent & { readonly type: 'adopt-summary' },
  isUndo: boolean,
): string {
  const { recognized, unrecognized, adopted, restored, failed, already } = event;
  const { imageFolders, links } = event;
  if (!isUndo && recognized + unrecognized + failed + already === 0) return '';
  const counts = isUndo
    ? [`${pluralize(restored, 'file')} restored`]
    : [
        `${recognized} recognized, ${unrecognized} not recognized`,
        ...(adopted > 0 ? [`${adopted} adopted`] : []),
        ...(already > 0 ? [`${already} of tankobon`] : []),
      ];
  return [
    ...counts,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(imageFolders > 0
      ? [`${pluralize(imageFolders, 'folder')} of images left out (included by --pack)`]
      : []),
    ...(links > 0 ? [`${pluralize(links, 'symbolic link')} skipped`] : []),
  ].join(', ');
}
