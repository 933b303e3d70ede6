import { defineKWalletTest } from '../support/auth/kwallet-tests.js';

defineKWalletTest(15);
