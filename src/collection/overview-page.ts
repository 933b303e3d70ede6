/**
 * An overview as one HTML page without scripts or external resources, for phones, light and dark screens, and print. All
 * text of others is escaped; addresses are those of the service and of publishers.
 */
import type { TitleOverviewEvent, MissingChapter } from '../events/overview-events.js';
import { groupBy } from '../core/group-by.js';
import { formatCount, formatLocalTime, pluralize } from '../core/human-format.js';
import { printableLine } from '../core/printable.js';
import { escapeXml } from '../core/xml-text.js';
import { htmlPage } from '../core/html-page.js';
import { OVERVIEW_STYLE } from './overview/overview-style.js';
import { STATE_NAMES, STATES, swatch, titleCard, type ListedTitle } from './overview/title-card.js';

interface TitleGroup {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly includes: (title: TitleOverviewEvent) => boolean;
}

/** In the order of the page; a title is in the first one that includes it. */
const GROUPS: readonly TitleGroup[] = [
  {
    id: 'download',
    name: 'To download',
    note: 'MangaDex has chapters that are not here.',
    includes: ({ missing }) => missing.some(isDownloadable),
  },
  {
    id: 'gaps',
    name: 'With gaps',
    note: 'Chapters are missing that MangaDex does not have in these languages, or that you removed.',
    includes: ({ missing, checkedAt }) => missing.some(isGap) && checkedAt !== undefined,
  },
  {
    id: 'unknown',
    name: 'Not looked up yet',
    note: 'MangaDex was not asked for their chapters: run the overview without --offline.',
    includes: ({ checkedAt }) => checkedAt === undefined,
  },
  {
    id: 'current',
    name: 'Up to date',
    note: 'Nothing is missing so far.',
    includes: ({ status }) => status !== 'completed',
  },
  {
    id: 'complete',
    name: 'Complete',
    note: 'The series has ended, and nothing is missing.',
    includes: () => true,
  },
];

interface OverviewPage {
  readonly titles: readonly ListedTitle[];
  /** Downloads what can be; undefined if nothing can. */
  readonly command: string | undefined;
  /** Files whose title is not known. */
  readonly unknownFiles: number;
  /** By the wall clock. */
  readonly nowMs: number;
}

/** In the order of the page. */
export function inPageOrder<T extends { readonly title: TitleOverviewEvent }>(
  titles: readonly T[],
): readonly T[] {
  return grouped(titles).flatMap(({ listed }) => listed);
}

/** Groups without titles are left out. */
function grouped<T extends { readonly title: TitleOverviewEvent }>(titles: readonly T[]) {
  const byGroup = groupBy(titles, ({ title }) => GROUPS.find(({ includes }) => includes(title)));
  return GROUPS.flatMap((group) => {
    const listed = byGroup.get(group) ?? [];
    return listed.length > 0 ? [{ ...group, listed }] : [];
  });
}

export function overviewPage({ titles, command, unknownFiles, nowMs }: OverviewPage): string {
  const groups = grouped(titles);
  const links = groups.map(
    ({ id, name, listed }) =>
      `<li><a href="#${id}">${name} <span class="count">${formatCount(listed.length)}</span></a></li>`,
  );
  return htmlPage(
    'Overview of a collection',
    OVERVIEW_STYLE,
    `<header>
<h1>Collection</h1>
<p class="quiet">What is here of each title, and what MangaDex has. Written at ${formatLocalTime(nowMs, 0)}.</p>
${tiles(titles.map(({ title }) => title))}
</header>
<nav aria-label="Groups of titles"><ul>${links.join('')}</ul></nav>
${command === undefined ? '' : commandSection(command)}
${legend()}
${groups.map(groupSection).join('\n')}
${unknownFiles > 0 ? `<p class="quiet">${pluralize(unknownFiles, 'file')} of unknown titles: of other programs, or not listed by MangaDex any more.</p>` : ''}`,
  );
}

function tiles(titles: readonly TitleOverviewEvent[]): string {
  const sum = (count: (title: TitleOverviewEvent) => number) =>
    titles.reduce((total, title) => total + count(title), 0);
  const due = sum(({ missing }) => missing.filter(isDownloadable).length);
  const rows: readonly (readonly [string, number])[] = [
    ['titles', titles.length],
    ['chapters here', sum(({ have }) => have)],
    ['to download', due],
    ['other gaps', sum(({ missing }) => missing.filter(isGap).length) - due],
    ['taken down since', sum(({ takenDown }) => takenDown.length)],
  ];
  const items = rows.map(
    ([name, count]) => `<div class="tile"><dt>${name}</dt><dd>${formatCount(count)}</dd></div>`,
  );
  return `<dl class="tiles">\n${items.join('\n')}\n</dl>`;
}

function isDownloadable({ reason }: MissingChapter): boolean {
  return reason === 'not-downloaded';
}

/** What a subscription leaves out is not wanted. */
function isGap({ reason }: MissingChapter): boolean {
  return reason !== 'left-out';
}

function commandSection(command: string): string {
  return `<section class="card">
<h2>Download what is missing</h2>
<pre tabindex="0" role="region" aria-label="Command"><code>${escapeXml(printableLine(command))}</code></pre>
</section>`;
}

function legend(): string {
  const items = STATE_NAMES.map((state) => `<li>${swatch(state)} ${STATES[state]}</li>`);
  return `<section aria-label="Legend" class="legend"><ul>${items.join('')}</ul></section>`;
}

function groupSection({
  id,
  name,
  note,
  listed,
}: TitleGroup & { readonly listed: readonly ListedTitle[] }): string {
  return `<section id="${id}">
<h2>${name} <span class="count">${formatCount(listed.length)}</span></h2>
<p class="quiet">${note}</p>
${listed.map(titleCard).join('\n')}
</section>`;
}
