import { defineTokenProcessTests } from '../../support/auth/token-process-tests.js';

defineTokenProcessTests('file');
