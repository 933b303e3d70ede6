/** The figures of the health reports for a person at a terminal, from 40 columns up. Pure. */
import type { ReportStatus } from '../../health-reports/report-status.js';
import type { NodeFigures } from '../../health-reports/statistics.js';
import { fitToWidth } from './progress-line.js';
import { pluralize, formatBytes, formatTime } from './sizes.js';

export interface TableLook {
  readonly columns: number;
  readonly colours: boolean;
  /** By the wall clock. */
  readonly nowMs: number;
}

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const COLOURS: Readonly<Record<Colour, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** Columns that a node's figures need beside its name. */
const FIGURES_COLUMNS = 55;
const NARROWEST_NODE = 18;
const BAR_COLUMNS = 6;

/** The whole text, each line ended. */
export function reportTable(status: ReportStatus, look: TableLook): string {
  const lines = [...summaryLines(status, look), ''];
  if (status.nodes.length === 0) {
    lines.push(paint('No load from the edge network has been reported yet.', 'dim', look));
  } else if (look.columns >= NARROWEST_NODE + FIGURES_COLUMNS) {
    lines.push(...wideLines(status.nodes, look));
  } else {
    lines.push(...status.nodes.flatMap((node) => narrowLines(node, look)));
  }
  return `${lines.join('\n')}\n`;
}

function summaryLines(status: ReportStatus, look: TableLook): string[] {
  const { host, oldestWaitingAgeMs, lastSentAtMs } = status;
  const counts = [
    `${status.sent} sent`,
    paint(`${status.waiting} waiting`, status.waiting > 0 ? 'yellow' : undefined, look),
    paint(`${status.givenUp} given up`, status.givenUp > 0 ? 'red' : undefined, look),
    ...(status.dropped > 0 ? [paint(`${status.dropped} dropped`, 'red', look)] : []),
  ];
  const title = paint('Health reports', 'bold', look);
  const isNarrow = look.columns < NARROWEST_NODE + FIGURES_COLUMNS;
  const lines = isNarrow
    ? [title, ...counts.map((count) => `  ${count}`)]
    : [`${title}  ${counts.join(', ')}`];
  for (const [reason, count] of Object.entries(status.reasons)) {
    lines.push(`  not sent: ${count} (${reason})`);
  }
  if (oldestWaitingAgeMs !== undefined) {
    lines.push(`  oldest waiting: ${formatTime(oldestWaitingAgeMs / 1_000)}`);
  }
  if (lastSentAtMs !== undefined) lines.push(`  last sent: ${ago(lastSentAtMs, look)}`);
  const wellness =
    host.state === 'well' ? paint('well', 'green', look) : paint('down', 'red', look);
  lines.push(`  report host: ${wellness}`);
  if (host.lastError) {
    const when = ago(host.lastError.atMs, look);
    lines.push(`  last error: ${host.lastError.reason}${isNarrow ? `\n    ${when}` : `, ${when}`}`);
  }
  if (status.damagedLines > 0) {
    lines.push(`  ${pluralize(status.damagedLines, 'damaged line')} of the statistics skipped`);
  }
  return lines;
}

function wideLines(nodes: readonly NodeFigures[], look: TableLook): string[] {
  const longest = Math.max(...nodes.map(({ node }) => node.length), 'node'.length);
  const nodeColumns = Math.min(longest, look.columns - FIGURES_COLUMNS);
  const head = [
    fitToWidth('node', nodeColumns),
    'loads'.padStart(6),
    'success'.padEnd(BAR_COLUMNS + 5),
    'cached'.padEnd(BAR_COLUMNS + 5),
    'median'.padStart(7),
    'slowest'.padStart(7),
    'bytes/s'.padStart(7),
  ];
  const rows = nodes.map((node) =>
    [
      shortNode(node.node, nodeColumns),
      String(node.loads).padStart(6),
      successBar(node, look),
      shareBar(node.cachedShare),
      formatDuration(node.medianMs).padStart(7),
      formatDuration(node.slowestMs).padStart(7),
      (node.bytesPerSecond === undefined ? '–' : formatBytes(node.bytesPerSecond)).padStart(7),
    ].join(' '),
  );
  return [paint(head.join(' '), 'dim', look), ...rows];
}

function narrowLines(node: NodeFigures, look: TableLook): string[] {
  const { medianMs, slowestMs, bytesPerSecond, cachedShare } = node;
  const lines = [
    paint(shortNode(node.node, look.columns).trimEnd(), 'bold', look),
    `  success ${successBar(node, look)}  ${pluralize(node.loads, 'load')}`,
  ];
  if (medianMs === undefined) return lines;
  return [
    ...lines,
    `  cached  ${shareBar(cachedShare)}  ${bytesPerSecond === undefined ? '' : `${formatBytes(bytesPerSecond)}/s`}`.trimEnd(),
    `  median ${formatDuration(medianMs)}, slowest ${formatDuration(slowestMs)}`,
  ];
}

function successBar(node: NodeFigures, look: TableLook): string {
  const { successRate } = node;
  const colour = successRate >= 0.95 ? 'green' : successRate >= 0.8 ? 'yellow' : 'red';
  return paint(shareBar(successRate), colour, look);
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar in eighths of a column, and the share in per cent; as wide whatever the share. */
function shareBar(share: number | undefined): string {
  if (share === undefined) return '–'.padEnd(BAR_COLUMNS + 5);
  const eighths = Math.round(share * BAR_COLUMNS * 8);
  const bar = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
  // Only all is 100 %, and only nothing is 0 %.
  const percent = share === 1 ? 100 : share === 0 ? 0 : clamp(Math.round(share * 100), 1, 99);
  return `${bar.padEnd(BAR_COLUMNS, '·')} ${String(percent).padStart(3)}%`;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Milliseconds as `85 ms`, `1.2 s`, `2 min`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** A host cut in its middle, since its two ends tell nodes apart. */
function shortNode(node: string, columns: number): string {
  if (node.length <= columns) return node.padEnd(columns);
  const head = Math.ceil((columns - 1) / 2);
  return `${node.slice(0, head)}…${node.slice(node.length - (columns - 1 - head))}`;
}

function ago(atMs: number, look: TableLook): string {
  const seconds = (look.nowMs - atMs) / 1_000;
  return seconds < 1 ? 'just now' : `${formatTime(seconds)} ago`;
}

function paint(text: string, colour: Colour | undefined, look: TableLook): string {
  if (!look.colours || colour === undefined) return text;
  const [on, off] = COLOURS[colour];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}
