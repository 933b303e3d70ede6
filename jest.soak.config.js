/** The long ones, run by `npm run soak` and not by `npm test`. */
import config from './jest.config.js';

export default {
  ...config,
  testMatch: ['**/*.soak.ts'],
  testTimeout: 600_000,
  collectCoverage: false,
};
