/** The SBOM and the licences of the published package name everything that is inside. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Component {
  readonly 'bom-ref': string;
  readonly licenses?: readonly unknown[];
}

let components: readonly Component[];
let inside: readonly string[];
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/bill-of-materials.js'], { stdio: 'ignore' });
  const text = readFileSync('dist/bill-of-materials.cdx.json', 'utf8');
  const bom = JSON.parse(text) as { bomFormat: string; components: readonly Component[] };
  expect(bom.bomFormat).toBe('CycloneDX');
  ({ components } = bom);
  inside = JSON.parse(readFileSync('build/bundled-packages.json', 'utf8')) as string[];
});

test('every package with a module in the bundle is a component, with its licence and the locked version', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, { version?: string }>>;
  };
  expect(inside).toContain(`got@${packages['node_modules/got']?.version ?? ''}`);
  expect(inside).toContain('fs-native-extensions@1.5.1');
  const refs = components.map((component) => component['bom-ref']);
  expect(inside.filter((name) => !refs.includes(name))).toEqual([]);
  // Its package.json names none; LICENSE is the MIT licence.
  const unlicensed = components.filter(({ licenses = [] }) => licenses.length === 0);
  expect(unlicensed.map((component) => component['bom-ref'].replace(/@.*$/, ''))).toEqual([
    'png-js',
  ]);
});

test('the packages that are installed beside are components, those for development are not', () => {
  const names = components.map((component) => component['bom-ref'].replace(/@[^@]*$/, ''));
  expect(names).toContain('@napi-rs/keyring');
  expect(names).not.toContain('jest');
});

test('every package inside has its licence in THIRD-PARTY-LICENSES.txt, or beside its binaries', () => {
  const licences = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
  const missing = inside.filter(
    (name) => !licences.includes(`Name: ${name.replace(/@[^@]*$/, '')}\n`),
  );
  expect(missing).toEqual(['fs-native-extensions@1.5.1']);
  expect(readdirSync('dist/prebuilds')).toContain('LICENSE');
});
