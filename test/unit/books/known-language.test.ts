/** Which chapters without a language count to that of the others of their series. */
import { withKnownLanguage } from '../../../src/books/known-language.js';
import type { BookChapter } from '../../../src/books/source-chapter.js';

/** `Sea 5 en`: the series, the number and the language. */
const chapter = (text: string) => {
  const [series, number, language] = text.split(' ');
  const metadata = { series, number: number === '-' ? undefined : number, language };
  return { file: `/comics/${text}.cbz`, metadata } as BookChapter;
};

const languages = (...texts: readonly string[]) =>
  withKnownLanguage(texts.map(chapter)).map(({ metadata }) => metadata.language);

test('they get the only language of their series', () => {
  expect(languages('Sea 1', 'Sea 2 en', 'sea - ', 'Fog 1', 'Fog 2 pt-BR')).toEqual([
    ...['en', 'en', 'en', 'pt-BR', 'pt-BR'],
  ]);
});

test('names of languages are the languages', () => {
  expect(languages('Sea 1 English', 'Sea 2 en', 'Sea 3', 'Sea 4 ENG', 'Sea 5 EN')).toEqual([
    ...['en', 'en', 'en', 'en', 'en'],
  ]);
  expect(languages('Sea 1 French', 'Sea 2', 'Fog 1 Deutsch', 'Fog 2 en')).toEqual([
    ...['fr', 'fr', 'de', 'en'],
  ]);
  expect(languages('Sea 1 Klingonese', 'Sea 2 en')).toEqual(['Klingonese', 'en']);
});

test('none is certain of a series in several, and of a chapter that is there in one', () => {
  expect(languages('Sea 1', 'Sea 2 en', 'Sea 3 fr')).toEqual([undefined, 'en', 'fr']);
  expect(languages('Sea 1', 'Sea 2', 'Sea 02 en')).toEqual([undefined, undefined, 'en']);
  expect(languages('Sea 1', 'Fog 2 en')).toEqual([undefined, 'en']);
});
