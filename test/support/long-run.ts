/** The long runs (TANKOBON_SOAK=1), which the tests repeat more often than `npm test` has time for. */
export const IS_LONG_RUN = process.env['TANKOBON_SOAK'] === '1';

/** All of them in the long run, a tenth otherwise. */
export const fuzzRuns = (cases: number): number => (IS_LONG_RUN ? cases : Math.ceil(cases / 10));
