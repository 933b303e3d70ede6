import { defineTokenProcessTests } from '../support/auth/token-process-tests.js';
import { KEYCHAIN_PROGRAMS } from '../support/auth/harness.js';
import { describeWith } from '../support/requirements.js';

describeWith('the keychain', { programs: KEYCHAIN_PROGRAMS }, () => {
  defineTokenProcessTests('keychain');
});
