/** The recipes that install the package: by npm, as it is on this machine, from a registry on loopback. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/core/version.js';
import { startPackageRegistry, type PackageRegistry } from '../support/package-registry.js';
import { packProgram } from '../support/packed-program.js';
import { RecipeHome } from '../support/recipe-home.js';
import { recipesWith } from '../support/recipes.js';

let folder: string;
let registry: PackageRegistry;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-registry-'));
  registry = await startPackageRegistry(packProgram(folder), ['keytar', 'sharp']);
}, 60_000);
afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

let home: RecipeHome;
beforeEach(async () => {
  home = await RecipeHome.create();
});
afterEach(() => home.stop());

/** Runs commands with an npm that has never been used. */
async function run(script: string): Promise<string> {
  const ran = await home.run(script, {
    PATH: `${home.path('npm/bin')}:${home.env['PATH'] ?? ''}`,
    npm_config_registry: registry.url,
    npm_config_cache: home.path('cache'),
    npm_config_prefix: home.path('npm'),
    npm_config_update_notifier: 'false',
  });
  expect({ script, ...ran }).toMatchObject({ script, code: 0 });
  return ran.stdout;
}

describe('the recipes that install the package', () => {
  test('of docs/getting-started.md: by npx, for all projects, and for one', async () => {
    const recipes = recipesWith('npm', 'docs/getting-started.md');
    const printed: string[] = [];
    for (const { script } of recipes) printed.push(await run(script));
    expect(recipes).toHaveLength(2);
    expect(home.files('work', '.cbz')).toHaveLength(1);
    expect(printed[1]).toMatch(new RegExp(`^${VERSION}$`, 'm'));
    expect(await run('command -v tankobon')).toBe(`${home.path('npm/bin/tankobon')}\n`);
    expect(existsSync(home.path('work/node_modules/.bin/tankobon'))).toBe(true);
  }, 120_000);

  test('of docs/devices.md: sharp beside the program, and by npx', async () => {
    const [recipe, subscribed, ...others] = recipesWith('npm', 'docs/devices.md');
    const title = 'title:3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
    await run('npm install --global tankobon');
    await run(`tankobon download ${title} --language en -o ~/comics`);
    await run(recipe?.script ?? '');
    expect(others).toEqual([]);
    expect(home.files('books', '.kepub.epub').length).toBeGreaterThan(0);
    await run(subscribed?.script ?? '');
    expect(home.files('reader', '.kepub.epub').length).toBeGreaterThan(1);
    expect(home.files('work', '.kepub.epub')).toEqual(home.files('books', '.kepub.epub'));
    const kindle = home.files('books', '.epub').filter((name) => !name.endsWith('.kepub.epub'));
    expect(kindle).toEqual(home.files('work', '.epub').filter((name) => !name.includes('.kepub.')));
    expect(home.service.violations()).toEqual([]);
  }, 180_000);

  test('no other document has any', () => {
    expect(new Set(recipesWith('npm').map(({ source }) => source.replace(/:\d+$/, '')))).toEqual(
      new Set(['docs/devices.md', 'docs/getting-started.md']),
    );
  });
});
