/** The ids of the example library, which never change. */
export const EXAMPLE_TITLES = {
  /** Japanese original, read right to left. */
  lighthouse: '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101',
  /** Korean original, read left to right. */
  starlight: '8b7e2a64-1f3d-4c58-a2c6-5d9e0b3f7202',
  /** The name contains `&`, `<`, quotes, a slash, an emoji and right-to-left marks. */
  odd: 'e4a9c1d7-52b8-4f60-8c3e-7b1d6f2a7303',
  /** The name is a reserved device name on Windows. */
  reserved: '1f6d3b8a-c407-4d29-b5e1-2c8a9f0d7404',
  /** A name of 300 characters. */
  wordy: '6c2e9f10-7d84-4b3a-9f57-e1a3d5c87505',
  /** 700 chapters in three languages by several groups. */
  long: 'a7f0d4e3-2b96-4c81-8d1e-f4b7c6a97606',
  /** Pornographic: excluded by default. */
  rated: 'b3d9e6f1-0c57-4a2e-9e84-6f1d2c5b7707',
} as const;

export const EXAMPLE_CHAPTERS = {
  /** Chapter 1 of the lighthouse in English with 12 drawn pages, which `tankobon demo` downloads. */
  first: '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01',
  second: '0b81e7f6-2d35-4a9c-8f60-1c7a7f4b1c02',
  /** Chapter 2 by another group. */
  secondByOthers: '9c47a3d8-e016-4b5f-a271-2d8b805c1c03',
  /** A joint release of two groups. */
  joint: 'd6f9025b-84ac-4e17-b382-3e9c916d1c04',
  /** The second version of chapter 3. */
  reuploaded: '28ae5c79-3f1b-4d60-9493-4fada27e1c05',
  /** Chapter 10.5. */
  decimal: '7354d8e1-96c2-4f0a-85a4-50beb38f1c06',
  /** Without volume, number, title and group. */
  bare: 'e10b6f24-cd79-4385-96b5-61cfc4901c07',
  /** Hosted elsewhere: an external URL and no pages. */
  external: '4ac8d793-05be-4f62-a7c6-72d0d5a11c08',
  /** An external URL and all pages. */
  externalWithPages: 'b95e02fc-7163-4ad8-88d7-83e1e6b21c09',
  unavailable: '17f3a86d-bd40-4c2e-99e8-94f2f7c31c10',
  /** Published in 2099. */
  future: '6e24c5b0-f98a-4173-aaf9-a50308d41c11',
  /** Chapter 1 in Brazilian Portuguese. */
  portuguese: 'c37d91ea-4856-4be0-8b0a-b61419e51c12',
  starlightFirst: '52b06fd3-ae17-4c94-9c1b-c7252af61c13',
  starlightSecond: 'f8694ea7-1d3c-4052-ad2c-d8363b071c14',
  starlightSpanish: '0dc2b758-6fe9-4a31-8e3d-e9474c181c15',
  odd: '93e7165c-d2b0-4f48-9f4e-fa585d291c16',
  reserved: 'da015b8f-3c64-4e97-a05f-0b696e3a1c17',
  wordy: '2f8ce4d6-b51a-4793-816a-1c7a7f4c1c18',
  rated: '749d30b2-e86f-4c15-927b-2d8b805d1c19',
} as const;

export const EXAMPLE_LISTS = {
  /** The lighthouse, starlight and the odd title. */
  public: 'a5d7e930-4c18-4b6f-8e92-3f0a1b2cd101',
  empty: 'f21b8c64-97ad-4035-9fa3-401b2c3de102',
  /** Visible to its owner only. */
  private: '8e60f5a7-d3c9-4b12-a0b4-512c3d4ef103',
} as const;
