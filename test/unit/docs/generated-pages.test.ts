import { readFileSync } from 'node:fs';
import { generatePages } from '../../../scripts/docs-pages.js';

test('generated pages, the man page and the JSON Schemas are up to date (npm run docs)', async () => {
  for (const [name, text] of Object.entries(await generatePages()))
    expect({ name, text: readFileSync(name, 'utf8') }).toEqual({ name, text });
});
