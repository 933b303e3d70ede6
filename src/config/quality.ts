/** The two sizes in which the service has each page (spec 4.2), by their names in its URLs. */
export const QUALITIES = ['data', 'data-saver'] as const;
export type Quality = (typeof QUALITIES)[number];

/** What becomes of a page that no node has as uploaded: its chapter fails, or that page is compressed. */
export const LOST_PAGES = ['fail', 'data-saver'] as const;
export type LostPages = (typeof LOST_PAGES)[number];
