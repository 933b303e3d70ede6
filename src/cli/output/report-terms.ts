/** The words of `report-status`, explained. */
export const REPORT_TERMS: readonly (readonly [term: string, meaning: string])[] = [
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
