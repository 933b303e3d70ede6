import { DEVICE_NAMES, DEVICES, findDevice } from '../../../../src/config/devices.js';

test('the table has each device once, held upright, by maker and model', () => {
  expect(DEVICES.length).toBeGreaterThanOrEqual(30);
  expect(new Set(DEVICE_NAMES).size).toBe(DEVICES.length);
  for (const { name, width, height } of DEVICES) {
    expect(name).toMatch(/^[a-z]+(-[a-z0-9]+)+$/);
    expect(height).toBeGreaterThan(width);
  }
});

test.each([
  ['kobo-libra', { format: 'epub', dialect: 'kobo', screen: 'gray-paper', width: 1264 }],
  ['kobo-libra-colour', { screen: 'color-paper' }],
  ['kindle-paperwhite', { format: 'epub', dialect: 'kindle', maxBytes: 200e6, width: 1272 }],
  ['kindle-paperwhite-3', { width: 1072, height: 1448 }],
  ['remarkable-2', { format: 'pdf', maxBytes: 100e6 }],
  ['KOBO-Libra', { name: 'kobo-libra' }],
  ['758x1024', { name: '758x1024', width: 758, height: 1024, format: 'cbz' }],
])('%s', (name, expected) => {
  expect(findDevice(name)).toMatchObject(expected);
});

test.each([
  ['kobo-libre', 'Use: --for kobo-libra'],
  ['paperwhite', 'Use: --for kindle-paperwhite'],
  ['toaster-3000-with-knobs', 'Run: tankobon help devices'],
  ['0x100', undefined],
  ['100x99999', undefined],
])('%s is neither a device nor a size', (name, hint) => {
  const error = expect(() => findDevice(name));
  error.toThrow(`in pixels, up to 10000: ${name}`);
  if (hint !== undefined) error.toThrow(expect.objectContaining({ hint }));
});
