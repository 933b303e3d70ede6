/** The two sizes in which the service has each page (spec 4.2), by their names in its URLs. */
export const QUALITIES = ['data', 'data-saver'] as const;
export type Quality = (typeof QUALITIES)[number];
