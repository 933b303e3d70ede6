/** `download`, plain and with --update, of titles in which the number alone does not say what is one chapter. */
import { testOneChapterRows } from '../../support/one-chapter-tests.js';

describe('download', () => {
  testOneChapterRows('download');
});

describe('download --update', () => {
  testOneChapterRows('update');
});
