/** A title in the page of an overview: its cover, its chapters as a strip, what is missing and why. */
import { basename } from 'node:path';
import type {
  TitleOverviewEvent,
  ChapterState,
  MissingChapter,
} from '../../events/overview-events.js';
import type { TitleCover } from '../title-cover.js';
import { MISSING_REASONS, type MissingReason } from '../../events/reasons.js';
import { groupBy } from '../../core/group-by.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { escapeXml } from '../../core/xml-text.js';
import { numberRanges } from '../../config/ranges.js';

/** What the strip of a title shows, from what is there to what does not exist. */
export const STATES: Readonly<Record<ChapterState, string>> = {
  present: 'here',
  'taken-down': 'here, and taken down since',
  ...MISSING_REASONS,
};
export const STATE_NAMES = Object.keys(STATES) as readonly ChapterState[];
const REASONS = Object.keys(MISSING_REASONS) as readonly MissingReason[];

export interface ListedTitle {
  readonly title: TitleOverviewEvent;
  readonly cover: TitleCover | undefined;
}

export function swatch(state: ChapterState): string {
  return `<i class="swatch ${state}" aria-hidden="true"></i>`;
}

export function titleCard({ title, cover }: ListedTitle): string {
  const { title: id, have, languages, status, volumes, checkedAt } = title;
  const name = printableLine(title.name);
  const incomplete = volumes.filter(({ isComplete }) => !isComplete).map(({ volume }) => volume);
  const complete = volumes.length - incomplete.length;
  const without = incomplete.length > 0 && complete > 0 ? `, not ${numberRanges(incomplete)}` : '';
  const facts = [
    pluralize(have, 'chapter'),
    ...(status === undefined ? [] : [printableLine(status)]),
    ...(languages.length > 0 ? [printableLine(languages.join(', '))] : []),
    ...(volumes.length > 0
      ? [`${complete} of ${pluralize(volumes.length, 'volume')} complete${without}`]
      : []),
  ];
  const checked = checkedAt?.slice(0, 10);
  return `<article class="card title">
${coverOf(name, cover)}
<div>
<h3><a href="https://mangadex.org/title/${id}" dir="auto">${escapeXml(name)}</a></h3>
<p class="quiet">${facts.map((fact) => `<span>${escapeXml(fact)}</span>`).join(' ')}${checked === undefined ? '' : ` <span class="date">checked ${checked}</span>`}</p>
${strip(title)}
${missingList(title)}${bookList(title)}${duplicateList(title)}
</div>
</article>`;
}

function coverOf(name: string, cover: TitleCover | undefined): string {
  if (!cover)
    return `<div class="cover" aria-hidden="true">${escapeXml(String.fromCodePoint(name.codePointAt(0) ?? 0x20).toUpperCase())}</div>`;
  const type = cover.extension === 'jpg' ? 'jpeg' : cover.extension;
  return `<img class="cover" alt="" decoding="async" src="data:image/${type};base64,${cover.data.toString('base64')}">`;
}

/** With more, a chapter has less than a few pixels. */
const MAX_SEPARATED = 100;
/** With more, none has a minimal width: they would not fit on a phone. */
const MAX_WIDENED_RUNS = 40;

function strip({ runs }: TitleOverviewEvent): string {
  const total = runs.reduce((sum, { count }) => sum + count, 0);
  const labels = runs.map(({ first, last, state, volume }) => {
    const numbers = printableLine(first === last ? first : `${first}–${last}`);
    const inVolume = volume === undefined ? '' : `volume ${printableLine(volume)}, `;
    return escapeXml(`${inVolume}${numbers}: ${STATES[state]}`);
  });
  const segments = runs.map(
    ({ state, count }, index) =>
      `<i class="${state}" style="--n:${count}" title="${labels[index] ?? ''}"></i>`,
  );
  const classes = [
    'strip',
    ...(total <= MAX_SEPARATED ? ['separated'] : []),
    ...(runs.length <= MAX_WIDENED_RUNS ? ['widened'] : []),
  ];
  const ends = [runs[0]?.first, total > 1 ? runs.at(-1)?.last : undefined].map(
    (number) => `<span>${escapeXml(printableLine(number ?? '', MAX_LABEL))}</span>`,
  );
  return `<div class="strips" style="--total:${total}">
<div class="${classes.join(' ')}" role="img" aria-label="Chapters ${labels.join('; ')}">${segments.join('')}</div>
<div class="ends" aria-hidden="true">${ends.join('')}</div>
</div>`;
}

const MAX_LABEL = 24;

function missingList({ missing, takenDown }: TitleOverviewEvent): string {
  const byReason = groupBy(missing, ({ reason }) => reason);
  const item = (state: ChapterState, html: string) =>
    `<li>${swatch(state)} <span>${STATES[state]}: <b>${html}</b></span></li>`;
  const items = REASONS.flatMap((reason) => {
    const chapters = byReason.get(reason) ?? [];
    return chapters.length === 0 ? [] : [item(reason, chapterList(chapters))];
  });
  if (takenDown.length > 0) items.push(item('taken-down', escapeXml(numberRanges(takenDown))));
  return items.length === 0 ? '' : `<ul class="reasons">${items.join('')}</ul>`;
}

function chapterList(chapters: readonly MissingChapter[]): string {
  const byNote = groupBy(chapters, ({ volume, languages, externalUrl }) =>
    [volume === undefined ? [] : `volume ${volume}`, languages ?? [], externalUrl ?? []]
      .flat()
      .join(', '),
  );
  return [...byNote]
    .map(([note, some]) => {
      const numbers = escapeXml(numberRanges(some.map(({ number }) => number)));
      const address = some[0]?.externalUrl;
      if (address !== undefined) return publisherLink(address, numbers);
      return note === '' ? numbers : `${numbers} (${escapeXml(printableLine(note))})`;
    })
    .join(', ');
}

/** Only the text if it is not an address of the web, such as `javascript:`. */
function publisherLink(address: string, html: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return html;
  return `<a href="${escapeXml(url.href)}" rel="noopener noreferrer">${html}</a>`;
}

function bookList({ alsoInBooks }: TitleOverviewEvent): string {
  const items = alsoInBooks.map(({ numbers, files }) => {
    const names = files.map((file) => code(basename(file)));
    return `<li>${escapeXml(numberRanges(numbers))}: also in ${names.join(', ')}</li>`;
  });
  return items.length === 0 ? '' : `<ul class="reasons">${items.join('')}</ul>`;
}

function duplicateList({ duplicates }: TitleOverviewEvent): string {
  if (duplicates.length === 0) return '';
  const byFiles = groupBy(duplicates, ({ files }) => JSON.stringify(files));
  const items = [...byFiles.values()].map((some) => {
    const numbers = escapeXml(numberRanges(some.map(({ number }) => number)));
    const files = (some[0]?.files ?? []).map((file) => `<li>${code(file)}</li>`);
    return `<li>${numbers}<ul>${files.join('')}</ul></li>`;
  });
  return `<details><summary>${pluralize(duplicates.length, 'chapter')} with several files</summary><ul>${items.join('')}</ul></details>`;
}

function code(path: string): string {
  return `<code>${escapeXml(printableLine(path))}</code>`;
}
