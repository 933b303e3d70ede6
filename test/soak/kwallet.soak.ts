/**
 * About one session in 256 is refused for its key, and one call in 100 for its session. `TANKOBON_KWALLET_ROUNDS=200` runs
 * for a quarter of an hour.
 */
import { defineKWalletTest } from '../support/auth/kwallet-tests.js';

const TIME_LIMIT_MS = 20 * 60_000;

defineKWalletTest(Number(process.env['TANKOBON_KWALLET_ROUNDS'] ?? 20), TIME_LIMIT_MS);
