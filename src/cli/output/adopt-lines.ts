/** The lines of `adopt` for people: a heading for each folder, and a row for each file in it. Pure. */
import { dirname } from 'node:path';
import { ADOPT_EVENTS, type AdoptEvent, type AdoptSummary } from '../../events/adopt-events.js';
import { eventLines } from '../../events/printed-event.js';
import { formatCount, pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';

type FileEvent = AdoptEvent & { readonly type: 'file-recognized' | 'file-unrecognized' };

export class AdoptLines {
  #folder: string | undefined;

  linesFor(event: FileEvent): readonly string[] {
    const folder = dirname(event.file);
    const heading = folder === this.#folder ? [] : [printableLine(folder)];
    this.#folder = folder;
    const [name = '', ...rows] = eventLines(ADOPT_EVENTS, event);
    return [...heading, `  ${name}`, ...rows];
  }
}

/** Empty if a question was cancelled before any file was decided. */
export function adoptSummary(event: AdoptSummary, isUndo: boolean): string {
  const { recognized, unrecognized, adopted, restored, failed, already } = event;
  const { imageFolders, links } = event;
  if (!isUndo && recognized + unrecognized + failed + already === 0) return '';
  const counts = isUndo
    ? [`${pluralize(restored, 'file')} restored`]
    : [
        `${formatCount(recognized)} recognized, ${formatCount(unrecognized)} not recognized`,
        ...(adopted > 0 ? [`${formatCount(adopted)} adopted`] : []),
        ...(already > 0 ? [`${formatCount(already)} of tankobon`] : []),
      ];
  return [
    ...counts,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(imageFolders > 0
      ? [`${pluralize(imageFolders, 'folder')} of images left out (included by --pack)`]
      : []),
    ...(links > 0 ? [`${pluralize(links, 'symbolic link')} skipped`] : []),
  ].join(', ');
}
