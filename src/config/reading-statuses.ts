/** The statuses that a reader can give to a title. */
export const READING_STATUSES = [
  'reading',
  'on_hold',
  'plan_to_read',
  'dropped',
  're_reading',
  'completed',
] as const;
export type ReadingStatus = (typeof READING_STATUSES)[number];
