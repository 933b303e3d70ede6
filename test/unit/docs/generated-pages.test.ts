import { readFileSync } from 'node:fs';
import { generatePages } from '../../../scripts/docs-pages.js';

test('commands.md and troubleshooting.md are up to date (npm run docs)', async () => {
  for (const [name, text] of Object.entries(await generatePages()))
    expect({ name, text: readFileSync(`docs/${name}`, 'utf8') }).toEqual({ name, text });
});
