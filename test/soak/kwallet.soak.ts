/** About one session in 256 is refused for its key, and one call in 100 for its session. */
import { defineKWalletTest } from '../support/auth/kwallet-tests.js';

const TIME_LIMIT_MS = 20 * 60_000;

defineKWalletTest(200, TIME_LIMIT_MS);
