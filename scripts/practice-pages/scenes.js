/** Backgrounds of the practice pages: each draws over a panel of the given width and height. */
import { boat, COLOURS, ellipse, gull, path, place } from './figures.js';

const { ink, paper, red, orange, yellow, navy, blue, sky } = COLOURS;
const none = 'stroke="none"';
const box = (x, y, w, h, fill) =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${fill}"/>`;
const range = (count) => Array.from({ length: count }, (_, index) => index);
/** Repeatable scatter: the same index always gives the same fraction. */
const scatter = (index, step) => (index * step) % 1;

/** The lighthouse, 300 units high; `lit`, it shines to both sides. */
export const lighthouse = (lit = false) =>
  (lit
    ? path('M0-262L-460-350V-190Z', '#9a9377', none) + path('M0-262L460-350V-190Z', '#9a9377', none)
    : '') +
  path('M-46 0L-30-232H30L46 0Z', paper) +
  path('M-43-44L-39-100H39L43-44ZM-35-156L-31-208H31L35-156Z', red) +
  path('M-10 0V-30Q0-42 10-30V0Z', navy) +
  path('M-38-232H38V-242H-38Z', navy) +
  path('M-20-242V-282H20V-242Z', lit ? yellow : sky) +
  path('M-7-242V-282M7-242V-282') +
  path('M-26-282Q0-322 26-282Z', red);

const cloud = (x, y, scale, fill) =>
  place(x, y, scale, path('M-60 0Q-70-26-40-30Q-30-58 4-46Q30-60 42-34Q72-30 62 0Z', fill, none));

const waves = (w, top, h, fill, crest) =>
  box(0, top, w, h - top, fill) +
  range(8)
    .map((index) => {
      const x = scatter(index, 0.377) * w;
      const y = top + 16 + scatter(index, 0.618) * (h - top - 20);
      return path(`M${x} ${y}q9-8 18 0t18 0`, 'none', `stroke="${crest}" stroke-width="3"`);
    })
    .join('');

const starsIn = (w, h) =>
  range(18)
    .map((index) =>
      ellipse(
        scatter(index, 0.7548) * w,
        scatter(index, 0.5698) * h,
        index % 5 ? 1.8 : 3.4,
        index % 5 ? 1.8 : 3.4,
        index % 7 ? paper : yellow,
      ),
    )
    .join('');

const rainIn = (w, h) =>
  range(20)
    .map((index) => {
      const x = scatter(index, 0.7548) * (w + 40);
      const y = scatter(index, 0.5698) * h;
      return path(`M${x} ${y}l-14 46`, 'none', `stroke="${sky}" stroke-width="4"`);
    })
    .join('');

const roofs = (w, h) =>
  range(Math.ceil(w / 86) + 1)
    .map((index) => {
      const x = index * 86 - 20;
      const top = h * (0.5 + 0.26 * scatter(index + 1, 0.618));
      const windows = [0, 1, 2]
        .map(
          (row) =>
            box(x + 16, top + 22 + row * 46, 18, 24, (index + row) % 3 ? yellow : navy) +
            box(x + 48, top + 22 + row * 46, 18, 24, (index + row) % 2 ? navy : yellow),
        )
        .join('');
      return (
        path(
          `M${x} ${h}V${top}L${x + 41} ${top - (index % 2 ? 34 : 0)}L${x + 82} ${top}V${h}Z`,
          ink,
        ) + windows
      );
    })
    .join('');

const nestOfTwigs = () =>
  ellipse(0, -46, 130, 22, ink) +
  path('M-130-46Q-120 10 0 12Q120 10 130-46Q90-20 0-20T-130-46Z', orange) +
  path('M-118-26L-60 2M-80-18L-20 8M-30-10L40 8M20-12L84-2M70-16L112-20M-96-2L-40-14M-10 6L60-12') +
  path('M-40-52l14-14l14 14l-14 14Z', yellow) +
  path('M16-44h34m-8-10l8 10l-8 10', 'none', `stroke="${sky}" stroke-width="6"`);

const SCENES = {
  harbour: (w, h) =>
    box(0, 0, w, h, sky) +
    cloud(w * 0.24, h * 0.36, 1.1, paper) +
    cloud(w * 0.6, h * 0.26, 0.8, paper) +
    waves(w, h * 0.58, h, blue, paper) +
    path(`M${w * 0.62} ${h * 0.6}Q${w * 0.8} ${h * 0.48} ${w + 20} ${h * 0.54}V${h * 0.6}Z`, navy) +
    place(w * 0.86, h * 0.55, Math.min(0.75, h / 560), lighthouse()) +
    path(`M0 ${h * 0.86}H${w}V${h}H0Z`, paper) +
    range(5)
      .map((index) => path(`M${(w * (index + 0.5)) / 5} ${h * 0.86}l-14 ${h * 0.14}`))
      .join(''),
  sea: (w, h) =>
    box(0, 0, w, h, navy) +
    rainIn(w, h * 0.6) +
    waves(w, h * 0.62, h, ink, blue) +
    place(w * 0.5, h * 0.7, Math.min(1.4, w / 300), boat()) +
    path(
      `M0 ${h * 0.7}q${w / 8} ${h * 0.08} ${w / 4} 0t${w / 4} 0t${w / 4} 0t${w / 4} 0V${h}H0Z`,
      navy,
    ),
  hills: (w, h) =>
    box(0, 0, w, h, sky) +
    cloud(w * 0.3, h * 0.3, 1, paper) +
    place(w * 0.8, h * 0.5, Math.min(0.7, h / 860), lighthouse()) +
    path(`M-10 ${h * 0.72}Q${w * 0.5} ${h * 0.56} ${w + 10} ${h * 0.44}V${h + 9}H-10Z`, blue) +
    path(`M-10 ${h * 0.82}Q${w * 0.6} ${h * 0.7} ${w + 10} ${h * 0.8}V${h + 9}H-10Z`, paper) +
    range(5)
      .map((index) =>
        path(
          `M${((index + 0.4) * w) / 5} ${h * (0.9 + 0.06 * (index % 2))}q-3-14-9-16m9 16q2-16 8-20`,
        ),
      )
      .join(''),
  rain: (w, h) =>
    box(0, 0, w, h, blue) +
    cloud(w * 0.28, h * 0.2, 1.5, navy) +
    cloud(w * 0.76, h * 0.16, 1.7, navy) +
    path(`M-10 ${h * 0.86}Q${w * 0.5} ${h * 0.78} ${w + 10} ${h * 0.86}V${h + 9}H-10Z`, navy) +
    rainIn(w, h),
  cliff: (w, h) =>
    box(0, 0, w, h, navy) +
    cloud(w * 0.2, h * 0.16, 1.7, ink) +
    cloud(w * 0.58, h * 0.12, 1.9, ink) +
    waves(w, h * 0.8, h, ink, blue) +
    place(w * 0.22, h * 0.8, h / 560, lighthouse()) +
    path(
      `M${w * 0.44} ${h + 9}L${w * 0.5} ${h * 0.72}L${w * 0.58} ${h * 0.6}L${w * 0.6} ${h * 0.46}L${w + 10} ${h * 0.4}V${h + 9}Z`,
      blue,
    ) +
    path(
      `M${w * 0.62} ${h * 0.6}l40 30M${w * 0.8} ${h * 0.56}l-20 50M${w * 0.66} ${h * 0.84}l50-20M${w * 0.9} ${h * 0.7}l-10 60`,
    ) +
    path(
      `M${w * 0.52} ${h * 0.05}L${w * 0.47} ${h * 0.24}L${w * 0.53} ${h * 0.24}L${w * 0.46} ${h * 0.44}`,
      'none',
      `stroke="${yellow}" stroke-width="7" stroke-linejoin="miter"`,
    ) +
    rainIn(w, h),
  nest: (w, h) =>
    box(0, 0, w, h, blue) +
    rainIn(w, h) +
    path(`M-10 ${h * 0.78}Q${w * 0.4} ${h * 0.68} ${w + 10} ${h * 0.76}V${h + 9}H-10Z`, navy) +
    place(w * 0.62, h * 0.94, Math.min(1, w / 520), nestOfTwigs()),
  lamp: (w, h) =>
    box(0, 0, w, h, sky) +
    range(5)
      .map((index) =>
        path(`M${(w * index) / 4} 0V${h * 0.8}`, 'none', `stroke="${navy}" stroke-width="8"`),
      )
      .join('') +
    box(0, h * 0.8, w, h * 0.2, navy) +
    place(
      w * 0.5,
      h * 0.86,
      h / 300,
      path('M-40 0L-26-50H26L40 0Z', navy) +
        path('M-44-50Q-58-110 0-176Q58-110 44-50Z', paper) +
        path('M-48-74Q0-62 48-74M-50-98Q0-84 50-98M-40-124Q0-112 40-124M-24-150Q0-142 24-150') +
        ellipse(0, -20, 6, 6, ink) +
        path('M0-20V-8'),
    ),
  room: (w, h) =>
    box(0, 0, w, h, paper) +
    range(Math.ceil(w / 60))
      .map((index) => box(index * 60, 0, 26, h, '#f7ecd8'))
      .join('') +
    path(`M${w * 0.36} ${h * 0.3}H${w * 0.64}V${h * 0.68}H${w * 0.36}Z`, blue) +
    path(`M${w * 0.5} ${h * 0.3}V${h * 0.68}M${w * 0.36} ${h * 0.49}H${w * 0.64}`) +
    path(`M0 ${h * 0.84}H${w}V${h}H0Z`, orange),
  night: (w, h) =>
    box(0, 0, w, h, navy) +
    starsIn(w, h * 0.7) +
    ellipse(w * 0.8, h * 0.22, 34, 34, yellow) +
    waves(w, h * 0.74, h, ink, blue) +
    path(`M0 ${h * 0.9}H${w}V${h}H0Z`, paper),
  light: (w, h) =>
    box(0, 0, w, h, navy) +
    starsIn(w, h * 0.5) +
    waves(w, h * 0.66, h, ink, blue) +
    place(w * 0.7, h * 0.68, h / 520, lighthouse(true)) +
    path(`M${w * 0.46} ${h * 0.7}Q${w * 0.7} ${h * 0.58} ${w + 10} ${h * 0.66}V${h * 0.76}Z`, ink) +
    place(w * 0.24, h * 0.86, 1.3, boat()) +
    place(w * 0.16, h * 0.3, 0.8, gull({ fly: true })),
  city: (w, h) =>
    box(0, 0, w, h, navy) +
    starsIn(w, h * 0.6) +
    roofs(w, h) +
    path(`M0 ${h * 0.9}H${w}V${h}H0Z`, blue),
  sky: (w, h) =>
    box(0, 0, w, h, navy) +
    starsIn(w, h) +
    ellipse(w * 0.84, h * 0.24, Math.min(w, h) * 0.14, Math.min(w, h) * 0.14, yellow) +
    cloud(w * 0.16, h * 0.94, 1.3, blue) +
    cloud(w * 0.56, h * 0.99, 1.6, blue),
  moon: (w, h) =>
    box(0, 0, w, h, navy) +
    starsIn(w, h * 0.7) +
    path(`M-10 ${h * 0.76}Q${w * 0.5} ${h * 0.66} ${w + 10} ${h * 0.76}V${h + 9}H-10Z`, yellow) +
    [0.16, 0.5, 0.84]
      .map((at, index) => ellipse(w * at, h * (0.86 + 0.05 * (index % 2)), 34, 10, orange))
      .join(''),
  stairs: (w, h) =>
    box(0, 0, w, h, sky) +
    range(9)
      .map((index) =>
        path(
          `M${(w * index) / 9} ${h}V${h * (0.92 - 0.075 * index)}H${(w * (index + 1)) / 9}V${h}`,
          index % 2 ? paper : '#f7ecd8',
        ),
      )
      .join(''),
  flat: (w, h) =>
    box(0, 0, w, h, sky) +
    range(7)
      .map((index) =>
        ellipse(
          w * scatter(index + 1, 0.7548),
          h * scatter(index + 1, 0.5698),
          20 + 9 * (index % 3),
          20 + 9 * (index % 3),
          '#d3e3f2',
        ),
      )
      .join(''),
  warm: (w, h) =>
    box(0, 0, w, h, '#fbe3b0') +
    range(7)
      .map((index) =>
        ellipse(
          w * scatter(index + 1, 0.7548),
          h * scatter(index + 1, 0.5698),
          20 + 9 * (index % 3),
          20 + 9 * (index % 3),
          yellow,
        ),
      )
      .join(''),
  burst: (w, h) =>
    box(0, 0, w, h, paper) +
    range(24)
      .map((index) => {
        const turn = (index / 24) * 2 * Math.PI;
        const [far, near] = [w + h, Math.min(w, h) * (0.46 + 0.1 * scatter(index, 0.618))];
        const at = (radius, angle) =>
          `${(w / 2 + radius * Math.cos(angle)).toFixed(1)} ${(h * 0.56 + radius * Math.sin(angle)).toFixed(1)}`;
        return path(
          `M${at(near, turn)}L${at(far, turn - 0.055)}L${at(far, turn + 0.055)}Z`,
          index % 2 ? navy : red,
          none,
        );
      })
      .join(''),
};

export const scene = (name, w, h) => SCENES[name](w, h);
