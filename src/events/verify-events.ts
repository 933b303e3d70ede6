/** The events of `verify`. */
import { formatCount, pluralize } from '../core/human-format.js';
import { DOWNLOAD_EVENTS } from './download-events.js';
import { count, event, list, optional, path, text, word, type EventsOf } from './fields.js';
import { DAMAGE_REASONS } from './reasons.js';

export const VERIFY_EVENTS = {
  'file-damaged': event({
    meaning: 'A file is damaged.',
    fields: {
      file: path('The file; for a book in a folder, the folder.'),
      reason: word(DAMAGE_REASONS, 'Why it is damaged.'),
      message: text('What is wrong where, for people.'),
    },
    example: {
      file: 'a.cbz',
      reason: 'entry-damaged',
      message: '003.png: its checksum is wrong',
    },
    sentence: ({ file, message }) => `${file}: ${message}`,
  }),
  'file-edited': event({
    meaning:
      'A whole file has other pages than its record: you or another program changed them. It is not damaged.',
    fields: {
      file: path('The file.'),
      pages: count('How many pages it has.'),
      message: text('What is different, for people.'),
    },
    example: { file: 'b.cbz', pages: 11, message: '1 of 12 saved pages missing' },
    sentence: ({ file, message }) => `${file}: edited: ${message}`,
  }),
  'file-repaired': event({
    meaning: 'With `--repair`: a damaged file was replaced, with `--edited` also an edited one.',
    fields: {
      file: path('The file.'),
      newFile: optional(path('The new file, if the chapter is called otherwise by now.')),
      kept: optional(path('Where the damaged or edited file is kept.')),
      keptFiles: optional(
        list(
          path(
            'In place of `kept` for a book in a folder: where its damaged files are kept; none if all of them are missing.',
          ),
        ),
      ),
    },
    example: { file: 'a.cbz', kept: 'a.cbz.damaged' },
    sentence: ({ file, newFile, kept, keptFiles = [] }) => {
      const renamed = newFile === undefined ? '' : `\n  renamed to ${newFile}`;
      return `repaired: ${file}${renamed}${keptLine(kept === undefined ? keptFiles : [kept])}`;
    },
  }),
  'file-accepted': event({
    meaning:
      'With `--accept`: the record of an edited file names its pages now, or its mark came back.',
    fields: {
      file: path('The file.'),
      pages: count('How many pages it has.'),
    },
    example: { file: 'b.cbz', pages: 11 },
    sentence: ({ file, pages }) => `accepted: ${file}, ${pluralize(pages, 'page')}`,
  }),
  warning: DOWNLOAD_EVENTS.warning,
  'verify-summary': event({
    meaning: 'The last line of `verify`, also after an interruption.',
    fields: {
      checked: count('Files that were checked.'),
      damaged: count('Those that are damaged.'),
      edited: count('Those that are whole, and have other pages than their record.'),
      repaired: count('Damaged and edited ones that were replaced.'),
      accepted: optional(count('With `--accept`: files that were accepted.')),
      links: count('Symbolic links, which are not followed.'),
      unreadableFiles: optional(count('Files that may not be read; missing if there are none.')),
      unreadableFolders: optional(
        count('Folders of which nothing is known; missing if there are none.'),
      ),
      unchanged: optional(count('With `--since-last`: files that did not change.')),
    },
    example: { checked: 123, damaged: 1, edited: 1, repaired: 0, links: 0 },
    sentence: ({
      checked,
      damaged,
      edited,
      repaired,
      accepted = 0,
      links,
      unchanged = 0,
      unreadableFiles = 0,
      unreadableFolders = 0,
    }) =>
      [
        `${pluralize(checked, 'file')} checked, ${formatCount(damaged)} damaged`,
        ...(edited > 0 ? [`${formatCount(edited)} edited`] : []),
        ...(unchanged > 0 ? [`${formatCount(unchanged)} unchanged since the last check`] : []),
        ...(accepted > 0 ? [`${formatCount(accepted)} accepted`] : []),
        ...(repaired > 0 ? [`${formatCount(repaired)} repaired`] : []),
        ...(unreadableFiles > 0 ? [`${pluralize(unreadableFiles, 'file')} not checked`] : []),
        ...(unreadableFolders > 0 ? [`${pluralize(unreadableFolders, 'folder')} not checked`] : []),
        ...(links > 0 ? [`${pluralize(links, 'symbolic link')} skipped`] : []),
      ].join(', '),
  }),
};

export type VerifyEvent = EventsOf<typeof VERIFY_EVENTS>;
export type RepairedFile = Omit<Extract<VerifyEvent, { readonly type: 'file-repaired' }>, 'type'>;

function keptLine([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : ` and ${others.length} more beside it`;
  const what = first.endsWith('.edited') ? 'edited' : 'damaged';
  return `\n  the ${what} file is kept as ${first}${more}`;
}
