/** The documentation that is made from the program is the program's. `npm run docs` writes it with this very file. */
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { madePages } from '../../support/generated-pages.js';

/** Set by `npm run docs`. */
const isWriting = 'writeDocs' in globalThis;

test('commands.md and troubleshooting.md are what npm run docs makes', async () => {
  for (const [name, text] of Object.entries(await madePages())) {
    const file = `docs/${name}`;
    if (isWriting) writeFileSync(file, text);
    expect({ file, text: readFileSync(file, 'utf8') }).toEqual({ file, text });
  }
});
