/** Writes the generated pages of docs/, the man page and the JSON Schemas. The source is bundled to run it, since Node does not run TypeScript. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const bundle = await rolldown({
  cwd: path('.'),
  input: path('scripts/docs-pages.ts'),
  platform: 'node',
  external: /^[^./]/,
});
// The file is as deep as a module of src/, which finds package.json two folders up.
const file = path('dist/docs/pages.mjs');
await bundle.write({ file, codeSplitting: false });
const { generatePages } = await import(file);
rmSync(path('dist/docs'), { recursive: true });
for (const [name, text] of Object.entries(await generatePages())) {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
}
