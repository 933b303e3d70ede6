/** What the practice service has to read: one door to the records and to the libraries made of them. */
export type * from './records.js';
export { EXAMPLE_CHAPTERS, EXAMPLE_LISTS, EXAMPLE_TITLES } from './example-ids.js';
export { exampleLibrary } from './example-library.js';
export { endlessTitle, longTitle } from './long-title.js';
export { generateChapter, uuidOf } from './generated-chapter.js';
export { isPublished, mergeLibraries, createLibrary } from './library-contents.js';
