/** The public interface of this folder. */
export type * from '../records.js';
export {
  editChapter,
  editTitle,
  restoreChapter,
  reuploadChapter,
  takeDownChapter,
} from './changes.js';
export { EXAMPLE_CHAPTERS, EXAMPLE_LISTS, EXAMPLE_TITLES } from './example-ids.js';
export { exampleLibrary } from './example-library.js';
export { NO_GROUP } from './people.js';
export { endlessTitle, longTitle } from './long-title.js';
export { uuidOf } from './digests.js';
export { generateChapter } from './generated-chapter.js';
export { isPublished, mergeLibraries, createLibrary } from './library-contents.js';
