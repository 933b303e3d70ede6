/** People and animals of the practice pages as SVG. Each stands on the origin; a person is about 200 units high. */
export const COLOURS = {
  ink: '#1d2433',
  paper: '#fffaf0',
  skin: '#fbdcc0',
  red: '#d4574e',
  orange: '#f0983a',
  yellow: '#ffd873',
  navy: '#35466b',
  blue: '#7f9cc4',
  sky: '#c3d8ec',
};
const { ink, paper, skin, red, orange, yellow, navy, blue, sky } = COLOURS;
const OUTLINE = `stroke="${ink}" stroke-width="3" stroke-linejoin="round" stroke-linecap="round"`;

export const place = (x, y, scale, content, mirrored = false) =>
  `<g transform="translate(${x} ${y}) scale(${mirrored ? -scale : scale} ${scale})">${content}</g>`;
export const path = (d, fill = 'none', more = OUTLINE) => `<path d="${d}" fill="${fill}" ${more}/>`;
export const ellipse = (cx, cy, rx, ry, fill, more = '') =>
  `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="${fill}" ${more}/>`;

const CAST = {
  girl: {
    coat: red,
    legs: navy,
    back: path('M-48-150Q-50-204 0-204T48-150Q52-118 44-106H-44Q-52-118-48-150Z', ink),
    front: path('M-43-148Q-42-198 0-198T43-148Q38-172 22-180Q4-166-8-182Q-34-176-43-148Z', ink),
    extra: path('M-20-110Q0-100 20-110L24-96Q0-86-24-96Z', yellow),
  },
  boy: {
    coat: sky,
    legs: ink,
    back: '',
    front: path(
      'M-45-146Q-56-178-36-182Q-38-200-14-194Q0-212 14-196Q38-204 38-182Q56-176 45-146Q36-166 24-172Q2-164-14-174Q-36-168-45-146Z',
      navy,
    ),
    extra:
      path('M-29-82H29', 'none', `stroke="${navy}" stroke-width="7"`) +
      path('M-31-62H31', 'none', `stroke="${navy}" stroke-width="7"`),
  },
  keeper: {
    coat: navy,
    legs: ink,
    back: '',
    front:
      path(
        'M-42-140Q-40-100 0-94Q40-100 42-140Q30-122 14-126Q0-132-14-126Q-30-122-42-140Z',
        paper,
      ) +
      path('M-46-166Q-44-206 0-206T46-166Q0-182-46-166Z', navy) +
      path('M-46-166Q0-184 46-166Q58-156 46-154Q0-172-46-154Q-58-156-46-166Z', ink) +
      ellipse(0, -186, 7, 7, yellow),
    extra: ellipse(0, -78, 3.5, 3.5, yellow) + ellipse(0, -60, 3.5, 3.5, yellow),
  },
  aunt: {
    coat: blue,
    legs: ink,
    back: ellipse(0, -204, 19, 17, navy, OUTLINE),
    front:
      path('M-45-144Q-48-198 0-198T45-144Q42-178 0-182Q-42-178-45-144Z', navy) +
      ellipse(-17, -148, 13, 13, 'none', OUTLINE) +
      ellipse(17, -148, 13, 13, 'none', OUTLINE) +
      path('M-4-148H4'),
    extra: path('M-17-104L-22-44H22L17-104Z', paper),
  },
};

const EYES = (rx, ry) =>
  [-17, 17]
    .map((x) => ellipse(x, -148, rx, ry, ink) + ellipse(x + 2, -152, rx / 2.6, rx / 2.4, paper))
    .join('');
const BROWS = (slope) =>
  path(`M-27-${166 - slope}L-10-${166 + slope}M27-${166 - slope}L10-${166 + slope}`);
const FACES = {
  calm: EYES(6, 9) + path('M-8-124Q0-118 8-124'),
  glad: EYES(6.5, 9.5) + path('M-13-128H13Q11-110 0-110T-13-128Z', red),
  worried: EYES(5.5, 8) + BROWS(5) + path('M-9-120Q0-128 9-120'),
  shout: EYES(7, 12) + BROWS(-5) + path('M0-132Q16-132 14-114Q0-98-14-114Q-16-132 0-132Z', red),
  closed: path('M-24-146Q-17-154-10-146M10-146Q17-154 24-146M-8-124Q0-116 8-124'),
};

const limb = (d, colour) =>
  path(d, 'none', `stroke="${ink}" stroke-width="18" stroke-linecap="round"`) +
  path(d, 'none', `stroke="${colour}" stroke-width="12.5" stroke-linecap="round"`);
const HANDS = {
  down: [-40, -60, 40, -60],
  up: [-50, -132, 50, -132],
  point: [-40, -60, 62, -114],
  hold: [-12, -74, 12, -74],
};

const brassKey = () =>
  path('M0 0V-34M0-6H12M0-16H9', 'none', OUTLINE.replace('"3"', '"11"')) +
  path('M0 0V-34M0-6H12M0-16H9', 'none', OUTLINE.replace(ink, yellow).replace('"3"', '"5"')) +
  ellipse(0, -44, 12, 12, 'none', OUTLINE.replace('"3"', '"11"')) +
  ellipse(0, -44, 12, 12, 'none', OUTLINE.replace(ink, yellow).replace('"3"', '"5"'));

/** A person with a mood (a face) and a pose of the arms; `run` strides. */
export function person(name, { mood = 'calm', arms = 'down', run = false, key = false } = {}) {
  const { coat, legs, back, front, extra } = CAST[name];
  const [leftX, leftY, rightX, rightY] = HANDS[arms];
  const legPaths = run ? 'M-10-46L-34-20L-54-24|M10-46L34-26L40-4' : 'M-12-46V-6|M12-46V-6';
  const hand = (x, y) => ellipse(x, y, 8, 8, skin, OUTLINE);
  return [
    back,
    ...legPaths.split('|').map((d) => limb(d, legs)),
    limb(`M-23-98Q-42-88 ${leftX} ${leftY}`, coat),
    hand(leftX, leftY),
    path('M-24-108Q0-114 24-108L35-40Q0-32-35-40Z', coat),
    extra,
    limb(`M23-98Q42-88 ${rightX} ${rightY}`, coat),
    hand(rightX, rightY),
    ellipse(-43, -142, 7, 9, skin, OUTLINE) + ellipse(43, -142, 7, 9, skin, OUTLINE),
    ellipse(0, -148, 42, 45, skin, OUTLINE),
    ellipse(-29, -130, 8, 5, '#f3b596') + ellipse(29, -130, 8, 5, '#f3b596'),
    FACES[mood],
    front,
    key ? place(rightX, rightY - 8, 1, brassKey()) : '',
  ].join('');
}

const catHead =
  path('M-34-10L-38-46L-14-34Q0-38 14-34L38-46L34-10Q30 20 0 20T-34-10Z', orange) +
  path('M-7-36V-24M0-38V-22M7-36V-24') +
  [-15, 15].map((x) => ellipse(x, -8, 5, 7, ink) + ellipse(x + 1.5, -11, 2, 2, paper)).join('') +
  ellipse(0, 8, 16, 10, paper) +
  path('M-4 2H4L0 7ZM0 7Q-2 13-9 11M0 7Q2 13 9 11', red) +
  path('M-22 4L-44 0M-22 9L-42 14M22 4L44 0M22 9L42 14', 'none', OUTLINE.replace('"3"', '"2"'));

/** The cat, sitting or running to the right; about 110 units high. */
export const cat = ({ run = false } = {}) =>
  run
    ? path('M-62-44Q-104-60-96-92Q-88-98-86-88Q-86-66-58-58Z', orange) +
      limb('M-50-34L-76-12', orange) +
      limb('M-34-32L-44-6', orange) +
      limb('M38-34L70-14', orange) +
      limb('M24-32L40-4', orange) +
      path('M-66-42Q-60-68 0-66Q50-68 54-44Q50-20 0-24Q-60-20-66-42Z', orange) +
      path('M-30-65V-50M-14-66V-52M2-66V-52') +
      place(62, -72, 0.8, catHead)
    : path('M30-12Q66-8 62-42Q58-62 70-66Q80-60 76-36Q72 2 30 0Z', orange) +
      path('M-34 0Q-40-54 0-62Q40-54 34 0Z', orange) +
      ellipse(0, -20, 15, 20, paper) +
      path('M-18 0Q-20-14-8-14T2 0ZM-2 0Q-2-14 8-14T18 0Z', paper) +
      path('M-33-34L-22-32M-35-22L-24-22M33-34L22-32M35-22L24-22') +
      place(0, -70, 1, catHead);

/** A gull, standing or in flight. */
export const gull = ({ fly = false } = {}) =>
  fly
    ? path('M-60-30Q-30-58-6-28Q0-24 6-28Q30-58 60-30Q32-38 12-16Q0-6-12-16Q-32-38-60-30Z', paper)
    : path('M-8 0V-30M10 0V-30', 'none', OUTLINE.replace(ink, orange)) +
      path('M-58-20Q-30-60 8-50Q6-84 32-84Q54-82 52-58Q48-14 6-12Q-28-10-58-20Z', paper) +
      path('M-50-22Q-20-46 20-38Q8-18-50-22Z', blue) +
      path('M52-68L78-62L52-56Z', orange) +
      ellipse(38, -68, 4, 5, ink) +
      path('M30-78L44-74');

/** The supply boat. */
export const boat = () =>
  path('M-80-30H86L66 0H-62Z', red) +
  path('M-30-30V-62H24V-30Z', paper) +
  path('M-20-54H-4V-42H-20ZM2-54H16V-42H2Z', navy) +
  path('M28-30V-78', 'none', OUTLINE.replace('"3"', '"5"')) +
  path('M28-78H54L46-70L54-62H28Z', yellow);

/** Somebody on a bicycle. */
export const bicycle = () =>
  [-46, 46].map((x) => ellipse(x, -28, 27, 27, 'none', OUTLINE.replace('"3"', '"5"'))).join('') +
  path(
    'M-46-28L-14-68H30L46-28M-14-68L2-28H-46M30-68L26-84H42M-20-72H-6',
    'none',
    OUTLINE.replace('"3"', '"5"'),
  );

/** A parcel with a string. */
export const parcel = () =>
  path('M-30-44H30V0H-30Z', orange) +
  path('M0-44V0M-30-24H30') +
  path('M0-44Q-18-62-12-44M0-44Q18-62 12-44');
