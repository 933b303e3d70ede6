/**
 * Writes dist/bill-of-materials.cdx.json, a CycloneDX SBOM of the published package: what `npm sbom` reads from the lock
 * file, without the packages that are only used in development.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const bundled = new Set(JSON.parse(readFileSync('build/bundled-packages.json', 'utf8')));
const words = [
  'sbom',
  '--sbom-format',
  'cyclonedx',
  '--sbom-type',
  'application',
  '--package-lock-only',
];
const bom = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', maxBuffer: 2 ** 26 }));

const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name }) => name === 'cdx:npm:package:development');

const components = bom.components.filter(
  (one) => bundled.has(one['bom-ref']) || !isForDevelopment(one),
);
const refs = new Set([bom.metadata.component, ...components].map((one) => one['bom-ref']));
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
const text = JSON.stringify({ ...bom, components, dependencies }, undefined, 2);
writeFileSync('dist/bill-of-materials.cdx.json', `${text}\n`);
