/** The invented authors, groups and tags of the example library. */
import type { LibraryGroup, LibraryPerson, LibraryTag } from '../records.js';

export const PEOPLE = {
  minase: { id: '2a6e1f04-93b7-4c1d-8e52-d01f4b6a8101', name: 'Aoi Minase' },
  kurogane: { id: '7c3b9d15-04e8-4f6a-9d21-e12a5c7b8102', name: 'Ren Kurogane' },
  seo: { id: 'd58f2c37-1b69-4a90-b7e4-f23b6d8c8103', name: 'Seo Yu-ra' },
  ampersand: { id: '914a7e62-5cd0-4b83-a6f9-034c7e9d8104', name: 'O’Brien & "Sons" <Press>' },
} as const satisfies Record<string, LibraryPerson>;

export const GROUPS = {
  tidewater: { id: '0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201', name: 'Tidewater Scans' },
  paperLantern: { id: '4e8a2f6c-b713-4d90-9c68-2c6e90bf9202', name: 'Paper Lantern' },
  mareAlta: { id: '83f5d0b9-1e47-4c62-a5d3-3d7fa1c09203', name: 'Maré Alta' },
  lunaNueva: { id: 'c91b6e48-57a2-4f8d-b0e4-4e80b2d19204', name: 'Luna Nueva, S.A.' },
  slashes: { id: 'f7a3405d-8cb6-4129-9e15-5f91c3e29205', name: 'A/B: "Scans" & <Co>' },
} as const satisfies Record<string, LibraryGroup>;

/** A leftover of an older version of the service: a chapter of this group has no group. */
export const NO_GROUP: LibraryGroup = {
  id: '00e03853-1b96-4f41-9542-c71b8692033b',
  name: 'no group',
};

export const TAGS = {
  adventure: { id: '1b0c5e7d-3f28-4a96-8d41-60a2d4f3a301', name: 'Adventure', group: 'genre' },
  comedy: { id: '5d3a8f92-7c61-4eb0-9f25-71b3e504a302', name: 'Comedy', group: 'genre' },
  sliceOfLife: {
    id: '96e4b07f-d815-4c3a-a269-82c4f615a303',
    name: 'Slice of Life',
    group: 'genre',
  },
  animals: { id: 'c2f79d36-08ea-4b54-b17c-93d50726a304', name: 'Animals', group: 'theme' },
  delivery: { id: 'ea81436b-f59c-4d07-8c38-a4e61837a305', name: 'Post & Delivery', group: 'theme' },
  longStrip: { id: '3c695ad2-4be7-4f18-9a50-b5f72948a306', name: 'Long Strip', group: 'format' },
} as const satisfies Record<string, LibraryTag>;
