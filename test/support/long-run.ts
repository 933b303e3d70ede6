/** The long runs (TANKOBON_SOAK=1), which the tests repeat more often than `npm test` has time for. */
export const IS_LONG_RUN = process.env['TANKOBON_SOAK'] === '1';

/** All of them in the long run, a tenth otherwise. */
export const fuzzRuns = (cases: number): number => (IS_LONG_RUN ? cases : Math.ceil(cases / 10));

/** Rows of a table for the long run alone. Another row holds the same rule in `npm test`. */
export const longRunRows = <T>(...rows: readonly T[]): readonly T[] => (IS_LONG_RUN ? rows : []);
