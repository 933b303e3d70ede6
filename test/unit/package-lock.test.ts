/** `npm ci` works on every platform, from whichever registry. */
import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync('package-lock.json', 'utf8');
const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, LockedPackage>> };

test('package-lock.json has the packages of all platforms (if not: npm run lock)', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('package-lock.json names no registry', () => {
  const resolved = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
  expect(resolved).toEqual([]);
});
