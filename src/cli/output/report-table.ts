/** The health report metrics as a table, from 40 columns up. */
import { formatBytes, formatCount, formatDuration, pluralize } from '../../core/human-format.js';
import { hostStateOf, type readReportStatus } from '../../service/reports.js';
import { paint, type Color } from './colors.js';
import { fitToWidth, type LineFormat } from './progress-line.js';
import { maxOf } from '../../core/extremes.js';

type ReportStatus = ReturnType<typeof readReportStatus>;
type NodeMetrics = ReportStatus['nodes'][number];

interface TableFormat extends LineFormat {
  readonly colors: boolean;
  /** By the wall clock. */
  readonly nowMs: number;
}

/** Columns that the metrics of a node need beside its name. */
const METRICS_COLUMNS = 61;
const MIN_NODE_COLUMNS = 18;
const DURATION_COLUMNS = 10;
const BAR_COLUMNS = 6;
const HOST_COLORS = { 'not contacted yet': 'dim', ok: 'green', down: 'red' } as const;

export function reportTable(status: ReportStatus, format: TableFormat): string {
  const lines = [...summaryLines(status, format), ''];
  if (status.nodes.length === 0) {
    lines.push(colorize('No loads recorded yet.', 'dim', format));
  } else if (format.columns >= MIN_NODE_COLUMNS + METRICS_COLUMNS) {
    for (const each of wideLines(status.nodes, format)) lines.push(each);
  } else {
    for (const each of status.nodes.flatMap((node) => narrowLines(node, format))) lines.push(each);
  }
  return `${lines.join('\n')}\n`;
}

function summaryLines(status: ReportStatus, format: TableFormat): string[] {
  const { host, oldestWaitingAgeMs, lastSentAtMs } = status;
  const counts = [
    `${formatCount(status.sent)} sent`,
    colorize(
      `${formatCount(status.waiting)} waiting`,
      status.waiting > 0 ? 'yellow' : undefined,
      format,
    ),
    colorize(
      `${formatCount(status.givenUp)} given up`,
      status.givenUp > 0 ? 'red' : undefined,
      format,
    ),
    ...(status.dropped > 0
      ? [colorize(`${formatCount(status.dropped)} dropped`, 'red', format)]
      : []),
  ];
  const title = colorize('Health reports', 'bold', format);
  const isNarrow = format.columns < MIN_NODE_COLUMNS + METRICS_COLUMNS;
  const lines = isNarrow
    ? [title, ...counts.map((count) => `  ${count}`)]
    : [`${title}  ${counts.join(', ')}`];
  for (const [reason, count] of Object.entries(status.reasons)) {
    lines.push(`  not sent: ${formatCount(count)} (${reason})`);
  }
  if (oldestWaitingAgeMs !== undefined) {
    lines.push(`  oldest waiting: ${formatDuration(oldestWaitingAgeMs)}`);
  }
  if (lastSentAtMs !== undefined) lines.push(`  last sent: ${ago(lastSentAtMs, format)}`);
  const state = hostStateOf(status);
  const hostState = colorize(state, HOST_COLORS[state], format);
  lines.push(`  report host: ${hostState}`);
  if (host.lastError) {
    const when = ago(host.lastError.atMs, format);
    lines.push(`  last error: ${host.lastError.reason}${isNarrow ? `\n    ${when}` : `, ${when}`}`);
  }
  if (status.damagedLines > 0) {
    lines.push(`  ${pluralize(status.damagedLines, 'damaged line')} in the statistics ignored`);
  }
  return lines;
}

function wideLines(nodes: readonly NodeMetrics[], format: TableFormat): string[] {
  const longest = maxOf([...nodes.map(({ node }) => node.length), 'node'.length]);
  const nodeColumns = Math.min(longest, format.columns - METRICS_COLUMNS);
  const head = [
    fitToWidth('node', nodeColumns),
    'loads'.padStart(6),
    'success'.padEnd(BAR_COLUMNS + 5),
    'cached'.padEnd(BAR_COLUMNS + 5),
    'median'.padStart(DURATION_COLUMNS),
    'slowest'.padStart(DURATION_COLUMNS),
    'bytes/s'.padStart(7),
  ];
  const rows = nodes.map((node) =>
    [
      shortNode(node.node, nodeColumns, format),
      String(node.loads).padStart(6),
      successBar(node, format),
      shareBar(node.cachedShare, format),
      duration(node.medianMs, format).padStart(DURATION_COLUMNS),
      duration(node.slowestMs, format).padStart(DURATION_COLUMNS),
      (node.bytesPerSecond === undefined
        ? format.glyphs.dash
        : formatBytes(node.bytesPerSecond)
      ).padStart(7),
    ].join(' '),
  );
  return [colorize(head.join(' '), 'dim', format), ...rows];
}

function narrowLines(node: NodeMetrics, format: TableFormat): string[] {
  const { medianMs, slowestMs, bytesPerSecond, cachedShare } = node;
  const lines = [
    colorize(shortNode(node.node, format.columns, format).trimEnd(), 'bold', format),
    `  success ${successBar(node, format)}  ${pluralize(node.loads, 'load')}`,
  ];
  if (medianMs === undefined) return lines;
  return [
    ...lines,
    `  cached  ${shareBar(cachedShare, format)}  ${bytesPerSecond === undefined ? '' : `${formatBytes(bytesPerSecond)}/s`}`.trimEnd(),
    `  median ${duration(medianMs, format)}, slowest ${duration(slowestMs, format)}`,
  ];
}

function successBar(node: NodeMetrics, format: TableFormat): string {
  const { successRate } = node;
  const color = successRate >= 0.95 ? 'green' : successRate >= 0.8 ? 'yellow' : 'red';
  return colorize(shareBar(successRate, format), color, format);
}

/** A bar in eighths of a column and the percentage, always of the same width. */
function shareBar(share: number | undefined, { glyphs }: TableFormat): string {
  if (share === undefined) return glyphs.dash.padEnd(BAR_COLUMNS + 5);
  const eighths = Math.round(share * BAR_COLUMNS * 8);
  const bar = glyphs.full.repeat(Math.floor(eighths / 8)) + (glyphs.eighths[eighths % 8] ?? '');
  // 100 % and 0 % are exact.
  const isExact = share === 0 || share === 1;
  const percent = isExact ? share * 100 : Math.min(Math.max(Math.round(share * 100), 1), 99);
  return `${bar.padEnd(BAR_COLUMNS, glyphs.full === '#' ? '.' : '·')} ${String(percent).padStart(3)}%`;
}

function duration(ms: number | undefined, { glyphs }: TableFormat): string {
  return ms === undefined ? glyphs.dash : formatDuration(ms);
}

/** Cut in the middle: the ends of host names differ. */
function shortNode(node: string, columns: number, { glyphs }: TableFormat): string {
  if (node.length <= columns) return node.padEnd(columns);
  const shown = columns - glyphs.ellipsis.length;
  const head = Math.ceil(shown / 2);
  return `${node.slice(0, head)}${glyphs.ellipsis}${node.slice(node.length - (shown - head))}`;
}

function ago(atMs: number, { nowMs }: TableFormat): string {
  return nowMs - atMs < 1_000 ? 'just now' : `${formatDuration(nowMs - atMs)} ago`;
}

function colorize(text: string, color: Color | undefined, format: TableFormat): string {
  return format.colors && color !== undefined ? paint(text, color) : text;
}
