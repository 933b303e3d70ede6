/**
 * The health report metrics as one HTML page without scripts or external resources, for light and dark screens
 * and for print.
 */
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatLocalTime,
} from '../../core/human-format.js';
import { escapeXml } from '../../core/xml-text.js';
import { durationChart } from './duration-chart.js';
import { hostStateOf, type NodeMetrics, type ReportStatus } from './report-status.js';
import { htmlPage } from '../../core/html-page.js';

/** The words of `report-status`, explained. */
const REPORT_TERMS: readonly (readonly [term: string, meaning: string])[] = [
  [
    'Health report',
    'For each page loaded from a node, MangaDex asks whether it arrived, how large it was and how long it took.',
  ],
  ['Report host', 'The server that receives the health reports.'],
  ['Node', 'A computer of MangaDex@Home, often a volunteer’s, that delivers pages.'],
  ['Sent', 'Reports that the report host accepted.'],
  ['Waiting', 'Reports that are stored and sent by the next run.'],
  ['Given up', 'Reports that the report host refused.'],
  ['Dropped', 'Reports that were too old, or too many to keep.'],
  ['Success', 'The share of loads that gave a complete page.'],
  ['Cached', 'The share of pages that the node had already, instead of requesting them first.'],
  ['Median, slowest', 'How long successful loads took: half of them at most the median.'],
  ['Bytes/s', 'The speed of successful loads.'],
];

/** `nowMs` is by the wall clock. */
export function pageOf(status: ReportStatus, nowMs: number): string {
  return htmlPage(
    'Health reports of tankobon',
    STYLE,
    `<header>
<h1>Health reports</h1>
<p class="quiet">The reports that tankobon sent about the pages it loaded. Written at ${formatLocalTime(nowMs, 0)}.</p>
</header>
${tiles(status)}
${hostLine(status, nowMs)}
${status.nodes.length === 0 ? '<p>No loads recorded yet.</p>' : charts(status, nowMs)}
${terms()}`,
  );
}

function charts(status: ReportStatus, nowMs: number): string {
  return `<section>
<h2>Durations over time</h2>
<p class="quiet">Successful loads: the line is the median of each interval, the band reaches up to the slowest load.</p>
${wide('Chart of durations', durationChart(status.overTime, nowMs))}
</section>
<section>
<h2>Nodes</h2>
${wide(
  'Table of nodes',
  `<table>
<thead><tr><th scope="col">Node</th><th scope="col" class="number">Loads</th><th scope="col">Success</th><th scope="col">Cached</th><th scope="col" class="number">Median</th><th scope="col" class="number">Slowest</th><th scope="col" class="number">Bytes/s</th></tr></thead>
<tbody>
${status.nodes.map(nodeRow).join('\n')}
</tbody>
</table>`,
)}
</section>`;
}

/** Scrolls sideways on a narrow screen, also with the keyboard. */
function wide(name: string, content: string): string {
  return `<p class="cue" aria-hidden="true">Scroll sideways for more →</p>
<div class="wide" tabindex="0" role="region" aria-label="${name}">${content}</div>`;
}

function terms(): string {
  const items = REPORT_TERMS.map(
    ([term, meaning]) => `<div><dt>${escapeXml(term)}</dt><dd>${escapeXml(meaning)}</dd></div>`,
  );
  return `<section>
<h2>Terms</h2>
<dl class="terms">
${items.join('\n')}
</dl>
</section>`;
}

function tiles(status: ReportStatus): string {
  const tile = (name: string, count: number, level: string) =>
    `<div class="tile ${count > 0 ? level : ''}"><dt>${name}</dt><dd>${formatCount(count)}</dd></div>`;
  return `<dl class="tiles">
${tile('sent', status.sent, '')}
${tile('waiting', status.waiting, 'warning')}
${tile('given up', status.givenUp, 'bad')}
${tile('dropped', status.dropped, 'bad')}
</dl>`;
}

function hostLine(status: ReportStatus, nowMs: number): string {
  const { host, oldestWaitingAgeMs, lastSentAtMs, reasons } = status;
  const state = hostStateOf(status);
  const ago = (atMs: number) => `${formatDuration(nowMs - atMs)} ago`;
  const sentences = [
    `Report host: ${state === 'down' ? '<strong class="bad">down</strong>' : state}.`,
    ...(host.lastError
      ? [`Last error: ${escapeXml(host.lastError.reason)}, ${ago(host.lastError.atMs)}.`]
      : []),
    ...(lastSentAtMs === undefined ? [] : [`Last sent: ${ago(lastSentAtMs)}.`]),
    ...(oldestWaitingAgeMs === undefined
      ? []
      : [`Oldest waiting: ${formatDuration(oldestWaitingAgeMs)}.`]),
    ...Object.entries(reasons).map(
      ([reason, count]) => `Not sent: ${count} (${escapeXml(reason)}).`,
    ),
  ];
  return `<p>${sentences.join(' ')}</p>`;
}

function nodeRow(node: NodeMetrics): string {
  const { successRate, cachedShare, medianMs, slowestMs, bytesPerSecond } = node;
  const level = successRate >= 0.95 ? 'good' : successRate >= 0.8 ? 'warning' : 'bad';
  return `<tr><th scope="row">${escapeXml(node.node)}</th><td class="number">${formatCount(node.loads)}</td><td>${shareBar(successRate, level, 'success')}</td><td>${shareBar(cachedShare, 'plain', 'cached')}</td><td class="number">${medianMs === undefined ? '–' : formatDuration(medianMs)}</td><td class="number">${slowestMs === undefined ? '–' : formatDuration(slowestMs)}</td><td class="number">${bytesPerSecond === undefined ? '–' : formatBytes(bytesPerSecond)}</td></tr>`;
}

function shareBar(share: number | undefined, level: string, name: string): string {
  if (share === undefined) return '–';
  const percent = share === 1 ? '100' : (Math.floor(share * 1_000) / 10).toFixed(1);
  const width = (share * 100).toFixed(1);
  return `<span class="share"><svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${name} ${percent} %"><rect class="track" width="100" height="10"/><rect class="${level}" width="${width}" height="10"/></svg>${percent} %</span>`;
}

const STYLE = `
:root { --page: #fbfaf8; --card: #ffffff; --ink: #1f2328; --quiet: #62676e; --line: #dedbd5; --track: #e9e6e0; --plain: #3f6fb0; --band: #3f6fb02e; --good: #2f7d4f; --warning: #8a5d00; --bad: #b8383a; }
@media (prefers-color-scheme: dark) { :root { --page: #15171a; --card: #1d2024; --ink: #e6e4e0; --quiet: #9aa0a8; --line: #34383e; --track: #30343a; --plain: #7aa7e6; --band: #7aa7e633; --good: #5fb682; --warning: #d9a441; --bad: #e5716f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 0 0 .25rem; }
p { margin: .25rem 0 1rem; } .quiet { color: var(--quiet); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; }
section { margin: 1.25rem 0; padding: 1.1rem 1.25rem; }
.tile dt { color: var(--quiet); font-size: .85rem; } .tile dd { margin: 0; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.tile.warning dd { color: var(--warning); } .tile.bad dd, strong.bad { color: var(--bad); }
.wide { overflow-x: auto; border-radius: .3rem; }
.wide:focus-visible { outline: 3px solid var(--plain); outline-offset: 2px; }
.cue { display: none; color: var(--quiet); font-size: .85rem; text-align: right; margin: 0; }
@media (max-width: 52rem) { .cue { display: block; } main { padding: 1rem .75rem 2rem; } section { padding: .9rem .75rem; } }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .45rem .6rem; text-align: left; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { border-top: 0; color: var(--quiet); font-weight: 500; font-size: .85rem; }
table { min-width: 44rem; }
tbody th, thead th:first-child { position: sticky; left: 0; background: var(--card); }
tbody th { font-weight: 500; font-size: .9rem; overflow-wrap: anywhere; white-space: normal; min-width: 7.5rem; }
.number { text-align: right; }
.share { display: inline-flex; align-items: center; gap: .5rem; }
.share svg { width: 5rem; height: .6rem; border-radius: .3rem; }
rect.track { fill: var(--track); } rect.good { fill: var(--good); } rect.warning { fill: var(--warning); } rect.bad { fill: var(--bad); } rect.plain { fill: var(--plain); }
.chart { display: block; width: 100%; min-width: 46rem; height: auto; }
.chart .grid { stroke: var(--line); stroke-width: 1; } .chart text { fill: var(--quiet); font-size: 14px; }
.chart .band { fill: var(--band); } .chart .median { fill: none; stroke: var(--plain); stroke-width: 2; stroke-linejoin: round; } .chart circle { fill: var(--plain); }

.terms { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: .6rem 1.5rem; margin: .5rem 0 0; }
.terms dt { font-weight: 600; font-size: .9rem; } .terms dd { margin: 0; color: var(--quiet); font-size: .9rem; }
@media print { section, .tile { break-inside: avoid; } }
`;
