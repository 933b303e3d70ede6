/** The practice service of a large collection, in a process of its own. Its first argument is the number of titles. */
import { startPracticeService } from '../../src/practice-server/practice-service.js';
import { collectionLibrary } from './collection-library.js';

const service = await startPracticeService({
  library: collectionLibrary(Number(process.argv[2])),
  // The program under measurement keeps to the published limits, by a clock that is faster than this one.
  limits: {
    general: { requests: 10_000, periodMs: 1_000 },
    periodScale: 0.001,
    rateHeaders: false,
  },
});
process.on('disconnect', () => {
  void service.stop();
});
process.send?.(service.environment);
