/**
 * What the practice pages show. A page is rows of panels from top to bottom, panels in the order of reading. In a
 * panel: `scene`; `cast` as [who, x, size, options], x a fraction of the width and size that of the height for a
 * person from head to foot (more than 1.2 shows head and shoulders); `says` as [which of the cast, text] in turn;
 * `caption`; `sound`.
 */
const girl = (x, size, options) => ['girl', x, size, options];
const boy = (x, size, options) => ['boy', x, size, options];
const keeper = (x, size, options) => ['keeper', x, size, options];
const aunt = (x, size, options) => ['aunt', x, size, options];
const cat = (x, size, options) => ['cat', x, size, options];
const gull = (x, size, options) => ['gull', x, size, options];
const parcel = (x, size, options) => ['parcel', x, size, options];
const bicycle = (x, size, options) => ['bicycle', x, size, options];

const worried = { mood: 'worried' };
const glad = { mood: 'glad' };
const shout = { mood: 'shout' };
const closed = { mood: 'closed' };
const cheering = { mood: 'glad', arms: 'up' };
const running = { mood: 'glad', run: true, arms: 'point' };

const row = (height, ...panels) => ({ height, panels });

const LIGHTHOUSE = [
  [
    row(
      0.56,
      {
        scene: 'harbour',
        width: 0.6,
        cast: [girl(0.36, 0.52, { arms: 'up', mood: 'glad' }), cat(0.66, 0.18)],
        caption: 'Minami Island, early in the morning.',
        says: [[0, 'Mikan! Have you seen the boat?']],
      },
      {
        scene: 'flat',
        cast: [keeper(0.5, 1.1, worried)],
        says: [[0, 'The boat is late. Last night the light went out.']],
      },
    ),
    row(0.44, {
      scene: 'burst',
      cast: [girl(0.5, 1.15, shout)],
      says: [[0, 'It went OUT?!', 'shout']],
    }),
  ],
  [
    row(0.5, {
      scene: 'lamp',
      cast: [keeper(0.8, 0.68, { ...worried, left: true }), girl(0.22, 0.64, { arms: 'point' })],
      says: [
        [0, 'The brass key is gone. No key, no light.'],
        [1, 'Who would steal a key?'],
      ],
    }),
    row(
      0.5,
      { scene: 'warm', width: 0.42, cast: [cat(0.44, 0.5)], says: [[0, 'Meow.']] },
      {
        scene: 'flat',
        cast: [keeper(0.5, 1.15, worried)],
        says: [[0, 'A storm is coming. We must find it before dark.']],
      },
    ),
  ],
  [
    row(0.38, {
      scene: 'hills',
      cast: [cat(0.42, 0.3, { run: true })],
      caption: 'Mikan did not wait.',
    }),
    row(
      0.62,
      {
        scene: 'hills',
        width: 0.55,
        cast: [boy(0.74, 0.58, { mood: 'calm' }), girl(0.3, 0.58, running)],
        says: [
          [0, 'Why is that cat in such a hurry?'],
          [1, 'She knows the way!'],
        ],
      },
      { scene: 'warm', cast: [boy(0.5, 1.05, shout)], says: [[0, 'Wait for me!', 'shout']] },
    ),
  ],
  [
    row(
      0.5,
      {
        scene: 'harbour',
        width: 0.58,
        cast: [boy(0.4, 0.58, { arms: 'hold' }), cat(0.72, 0.2)],
        says: [[0, 'Footprints? No... feathers.']],
      },
      { scene: 'burst', cast: [girl(0.5, 1.2, glad)], says: [[0, 'Feathers!', 'shout']] },
    ),
    row(0.5, {
      scene: 'rain',
      cast: [girl(0.3, 0.66, worried), boy(0.7, 0.66, worried)],
      says: [
        [1, 'And now it rains.'],
        [0, 'Inside, quick!'],
      ],
    }),
  ],
  [
    row(0.48, {
      scene: 'room',
      cast: [aunt(0.76, 0.72, { mood: 'closed', arms: 'hold' }), girl(0.24, 0.66)],
      says: [
        [0, 'Tea first. Adventures later.'],
        [1, 'Aunt Tomo, have you seen a key?'],
      ],
    }),
    row(
      0.52,
      {
        scene: 'warm',
        width: 0.54,
        cast: [aunt(0.5, 1.15)],
        says: [[0, 'Brass? Shiny? Ask the gulls. They have my best spoon.']],
      },
      { scene: 'flat', cast: [gull(0.48, 0.34)], says: [[0, 'Kraa?']] },
    ),
  ],
  [
    row(0.66, {
      scene: 'cliff',
      cast: [girl(0.74, 0.24, { mood: 'shout', arms: 'up' }), boy(0.9, 0.24, worried)],
      caption: 'The north cliffs, an hour before dark.',
      sound: ['KRAKOOM!', 0.3, 0.56],
    }),
    row(
      0.34,
      {
        scene: 'rain',
        width: 0.5,
        cast: [boy(0.5, 1.12, shout)],
        says: [[0, 'Hold on to something!', 'shout']],
      },
      { scene: 'burst', cast: [cat(0.5, 0.5, { run: true })] },
    ),
  ],
  [
    row(0.52, {
      scene: 'nest',
      cast: [gull(0.62, 0.36, { lift: 0.1, left: true }), cat(0.18, 0.4)],
      sound: ['KRAAA!', 0.62, 0.34],
    }),
    row(
      0.48,
      { scene: 'flat', width: 0.5, cast: [gull(0.46, 0.45)], says: [[0, '?']] },
      { scene: 'warm', cast: [cat(0.46, 0.5)], says: [[0, '!']] },
    ),
  ],
  [
    row(0.46, {
      scene: 'nest',
      cast: [girl(0.22, 0.7, { mood: 'glad', arms: 'up', key: true })],
      says: [[0, "The key! And Aunt Tomo's spoon!"]],
    }),
    row(
      0.54,
      {
        scene: 'flat',
        width: 0.5,
        cast: [boy(0.5, 1.1, cheering)],
        says: [[0, 'And my whistle! I lost that years ago.']],
      },
      { scene: 'burst', cast: [gull(0.48, 0.34)], says: [[0, 'KRAA!', 'shout']] },
    ),
  ],
  [
    row(0.42, {
      scene: 'rain',
      cast: [
        girl(0.64, 0.62, running),
        boy(0.36, 0.62, { ...running, mood: 'shout' }),
        cat(0.86, 0.24, { run: true }),
      ],
      says: [[1, 'Faster! I can hear the boat!']],
    }),
    row(
      0.58,
      {
        scene: 'sea',
        width: 0.52,
        cast: [],
        caption: 'Out at sea, somebody steers by nothing at all.',
      },
      {
        scene: 'lamp',
        cast: [keeper(0.5, 1.02, { mood: 'calm', arms: 'hold' })],
        says: [[0, 'Now, then. Turn.']],
      },
    ),
  ],
  [
    row(1, {
      scene: 'light',
      cast: [],
      caption: 'That night the light of Minami Island came back.',
      sound: ['FWOOM', 0.3, 0.5],
    }),
  ],
  [
    row(0.46, {
      scene: 'night',
      cast: [girl(0.3, 0.6, closed), boy(0.66, 0.6, cheering), cat(0.48, 0.24)],
      says: [
        [1, 'The boat is in!'],
        [0, 'Good work, Mikan.'],
      ],
    }),
    row(
      0.54,
      {
        scene: 'warm',
        width: 0.52,
        cast: [keeper(0.5, 1.1, closed)],
        says: [[0, 'So the gulls had it. And who gave it to the gulls?']],
      },
      { scene: 'flat', cast: [cat(0.46, 0.46)], says: [[0, 'Meow.']], caption: 'To be continued.' },
    ),
  ],
];

const STARLIGHT = [
  [
    row(0.52, {
      scene: 'city',
      cast: [boy(0.3, 0.58, { arms: 'hold' }), girl(0.7, 0.58)],
      caption: 'Starlight Delivery, five to midnight.',
      says: [
        [0, 'Two parcels for the moon.'],
        [1, 'Again?'],
      ],
    }),
    row(
      0.48,
      {
        scene: 'room',
        width: 0.52,
        cast: [aunt(0.5, 1)],
        says: [[0, 'Sign here, here and here.']],
      },
      {
        scene: 'burst',
        cast: [boy(0.5, 0.56, { ...running, lift: 0.08 }), bicycle(0.5, 0.24)],
        sound: ['FWOOSH', 0.5, 0.24],
      },
    ),
  ],
  [
    row(0.42, {
      scene: 'sky',
      cast: [girl(0.34, 0.56, { ...running, lift: 0.16 }), bicycle(0.34, 0.28, { lift: 0.06 })],
      says: [[0, 'Left at the clock tower!']],
    }),
    row(
      0.58,
      {
        scene: 'rain',
        width: 0.54,
        cast: [boy(0.28, 0.56, worried), girl(0.74, 0.56, worried)],
        says: [
          [0, 'The map is wet.'],
          [1, 'Then we ask someone.'],
        ],
      },
      {
        scene: 'warm',
        cast: [keeper(0.5, 0.95, { arms: 'point' })],
        says: [[0, 'The moon? Third star, then up.']],
      },
    ),
  ],
  [
    row(
      0.5,
      { scene: 'sky', width: 0.56, cast: [boy(0.4, 0.6)], says: [[0, 'So many windows up here.']] },
      { scene: 'burst', cast: [girl(0.5, 1.25, shout)], says: [[0, 'Hold the PARCEL!', 'shout']] },
    ),
    row(0.5, {
      scene: 'moon',
      cast: [parcel(0.3, 0.24), boy(0.72, 0.5, shout)],
      sound: ['MROW?', 0.3, 0.4],
    }),
  ],
  [
    row(0.5, {
      scene: 'moon',
      cast: [girl(0.22, 0.56, cheering), cat(0.5, 0.34), boy(0.78, 0.56, worried)],
      caption: 'Nobody had said that it was a cat.',
    }),
    row(
      0.5,
      {
        scene: 'flat',
        width: 0.5,
        cast: [boy(0.5, 1.05, closed)],
        says: [[0, 'Next time I read the label.']],
      },
      {
        scene: 'warm',
        cast: [girl(0.5, 1.05, glad)],
        says: [[0, 'Next time I drive.']],
        caption: 'To be continued.',
      },
    ),
  ],
];

const STAIRS = [
  [
    row(0.5, {
      scene: 'stairs',
      cast: [boy(0.28, 0.34, { ...running, lift: 0.195 })],
      says: [[0, 'One more floor.']],
    }),
    row(0.5, {
      scene: 'stairs',
      cast: [boy(0.61, 0.34, { ...worried, lift: 0.42 })],
      says: [[0, 'Then one more.']],
    }),
  ],
  [
    row(0.6, {
      scene: 'stairs',
      cast: [cat(0.72, 0.18, { lift: 0.495 }), boy(0.28, 0.34, { ...worried, lift: 0.195 })],
      says: [
        [1, 'Is there no lift?'],
        [0, 'Meow.'],
      ],
    }),
    row(0.4, { scene: 'burst', cast: [boy(0.5, 1.12, shout)], says: [[0, 'ONE MORE?!', 'shout']] }),
  ],
];

const LIGHTHOUSE_ART = {
  scene: 'harbour',
  cast: [girl(0.3, 0.5, { mood: 'glad', arms: 'up' }), cat(0.58, 0.2)],
};
const STARLIGHT_ART = {
  scene: 'sky',
  cast: [
    girl(0.3, 0.42, { ...running, lift: 0.14 }),
    bicycle(0.3, 0.22, { lift: 0.07 }),
    boy(0.72, 0.42, cheering),
    parcel(0.88, 0.1),
  ],
};
const LIGHTHOUSE_NAME = ['The Lighthouse Cat', 'of Minami Island'];
const STARLIGHT_NAME = ['Starlight', 'Delivery Service'];

/** Stories: a title page where there is `art`, then the pages. */
export const STORIES = {
  lighthouse: {
    rightToLeft: true,
    opening: {
      name: LIGHTHOUSE_NAME,
      credit: 'Story: Aoi Minase · Art: Ren Kurogane',
      ...LIGHTHOUSE_ART,
    },
    pages: LIGHTHOUSE,
  },
  starlight: {
    rightToLeft: false,
    opening: { name: STARLIGHT_NAME, credit: 'Story and art: Seo Yu-ra', ...STARLIGHT_ART },
    pages: STARLIGHT,
  },
  stairs: { rightToLeft: true, pages: STAIRS },
};

/** Covers that are not a story's title page. */
export const COVERS = {
  'lighthouse-cover-2': { name: LIGHTHOUSE_NAME, credit: 'Volume 2', scene: 'light' },
  'stairs-cover': {
    name: ['Endless Stairs'],
    credit: 'Aoi Minase',
    scene: 'stairs',
    cast: [boy(0.39, 0.3, { ...running, lift: 0.27 })],
  },
};
