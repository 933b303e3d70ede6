import { defineTokenProcessTests } from '../../../support/auth/token-process-tests.js';
import { IS_LONG_RUN } from '../../../support/long-run.js';

defineTokenProcessTests('file', IS_LONG_RUN ? 8 : 3);
