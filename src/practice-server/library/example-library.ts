/** The default library of the practice server. */
import { EXAMPLE_LISTS, EXAMPLE_TITLES } from './example-ids.js';
import { lighthouseChapters, lighthouseTitle } from './lighthouse.js';
import { longTitle } from './long-title.js';
import { oddChapters, oddTitles } from './odd-titles.js';
import type { Library } from '../records.js';
import { mergeLibraries, createLibrary } from './library-contents.js';
import { starlightChapters, starlightTitle } from './starlight.js';

let library: Library | undefined;

/** Created once, since it has some 2,000 chapters and never changes. */
export function exampleLibrary(): Library {
  return (library ??= createExampleLibrary());
}

function createExampleLibrary(): Library {
  const { lighthouse, starlight, odd } = EXAMPLE_TITLES;
  const own = createLibrary({
    titles: [lighthouseTitle(), starlightTitle(), ...oddTitles()],
    chapters: [...lighthouseChapters(), ...starlightChapters(), ...oddChapters()],
    lists: [
      {
        id: EXAMPLE_LISTS.public,
        name: 'For rainy days',
        visibility: 'public',
        titleIds: [lighthouse, starlight, odd],
      },
      { id: EXAMPLE_LISTS.empty, name: 'Nothing yet', visibility: 'public', titleIds: [] },
      { id: EXAMPLE_LISTS.private, name: 'Mine', visibility: 'private', titleIds: [starlight] },
    ],
    followedTitleIds: [lighthouse, starlight, odd],
    readingStatuses: new Map([
      [lighthouse, 'reading'],
      [starlight, 'completed'],
      [odd, 're_reading'],
      [EXAMPLE_TITLES.wordy, 'plan_to_read'],
    ]),
  });
  return mergeLibraries(own, longTitle());
}
