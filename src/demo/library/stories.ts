/** What happens in the drawn chapters, panel by panel. */
import type { Beat } from '../pictures/comic-page.js';

/** A girl, her grandfather's lighthouse, and the cat that keeps it. */
export const LIGHTHOUSE_STORY: readonly Beat[] = [
  {
    scene: 'harbour',
    cast: ['girl'],
    cat: true,
    shot: 'far',
    caption: 'Minami Island, early in the morning.',
    says: ['Mikan! Have you seen the boat?'],
  },
  {
    scene: 'tone',
    cast: ['keeper'],
    shot: 'near',
    mood: 'worried',
    says: ['The boat is late. The light went out.'],
  },
  { scene: 'speed', cast: ['girl'], shot: 'near', mood: 'shout', says: ['It went OUT!!'] },
  {
    scene: 'room',
    cast: ['keeper', 'girl'],
    shot: 'near',
    says: ['The lamp has a new part missing.', 'Who would steal a lamp part?'],
  },
  { scene: 'hills', cast: [], cat: true, shot: 'far', sound: 'MEOW!' },
  {
    scene: 'hills',
    cast: ['girl', 'boy'],
    shot: 'far',
    mood: 'glad',
    says: ['The cat knows the way!', 'Wait for me!'],
  },
  { scene: 'rain', cast: ['boy'], shot: 'near', mood: 'worried', says: ['And now it rains.'] },
  { scene: 'harbour', cast: ['boy', 'girl'], shot: 'far', says: ['Look, down at the pier.'] },
  { scene: 'speed', cast: ['keeper'], shot: 'far', mood: 'shout', sound: 'KRASH!' },
  { scene: 'room', cast: ['aunt'], shot: 'far', says: ['Tea first. Adventures later.'] },
  {
    scene: 'tone',
    cast: ['girl'],
    shot: 'near',
    mood: 'glad',
    says: ['Found it! It was in the nest.'],
  },
  {
    scene: 'stars',
    cast: ['keeper'],
    shot: 'near',
    mood: 'closed',
    says: ['So the gulls had it.'],
  },
  {
    scene: 'harbour',
    cast: [],
    cat: true,
    shot: 'far',
    caption: 'That night the light came back.',
  },
  { scene: 'stars', cast: ['girl', 'boy'], shot: 'far', says: ['Good work, Mikan.', 'Meow.'] },
  { scene: 'tone', cast: ['aunt'], shot: 'near', says: ['Somebody is at the door...'] },
];

/** Two couriers who deliver anything, anywhere, by night. */
export const STARLIGHT_STORY: readonly Beat[] = [
  {
    scene: 'city',
    cast: ['boy', 'girl'],
    shot: 'near',
    caption: 'Starlight Delivery, five to midnight.',
    says: ['Two parcels for the moon.', 'Again?'],
  },
  { scene: 'room', cast: ['aunt'], shot: 'near', says: ['Sign here, here and here.'] },
  { scene: 'speed', cast: ['boy'], shot: 'far', mood: 'shout', sound: 'FWOOSH' },
  { scene: 'city', cast: ['girl'], shot: 'far', mood: 'glad', says: ['Left at the clock tower!'] },
  {
    scene: 'rain',
    cast: ['boy', 'girl'],
    shot: 'near',
    mood: 'worried',
    says: ['The map is wet.', 'Then we ask someone.'],
  },
  { scene: 'tone', cast: ['keeper'], shot: 'near', says: ['The moon? Third star, then up.'] },
  { scene: 'stars', cast: ['boy', 'girl'], shot: 'far', says: ['So many windows up here.'] },
  { scene: 'speed', cast: ['girl'], shot: 'near', mood: 'shout', says: ['Hold the PARCEL!!'] },
  { scene: 'stars', cast: [], shot: 'far', sound: 'TA-DAA!' },
  {
    scene: 'stars',
    cast: [],
    cat: true,
    shot: 'far',
    caption: 'Nobody had said that it was a cat.',
  },
  { scene: 'hills', cast: ['boy'], shot: 'far', says: ['Next time I read the label.'] },
  { scene: 'tone', cast: ['girl'], shot: 'near', mood: 'closed', says: ['Next time I drive.'] },
  {
    scene: 'city',
    cast: ['aunt', 'boy'],
    shot: 'near',
    says: ['Back already?', 'One more for the sun.'],
  },
];
