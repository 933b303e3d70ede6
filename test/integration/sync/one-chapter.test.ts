/** `sync`, with and without upgrade, of titles in which the number alone does not say what is one chapter. */
import { testOneChapterRows } from '../../support/one-chapter-tests.js';

describe('sync', () => {
  testOneChapterRows('sync');
});

describe('sync with upgrade', () => {
  testOneChapterRows('upgrade');
});
