/** Fails when a package that is published inside tankobon, or installed with it, has a known vulnerability. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { components } = JSON.parse(readFileSync('dist/bill-of-materials.cdx.json', 'utf8'));
const published = new Set(components.map(({ group, name }) => (group ? `${group}/${name}` : name)));
const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
const { vulnerabilities, message } = JSON.parse(stdout);
if (!vulnerabilities) throw new Error(`npm audit: ${message}`);
const found = Object.values(vulnerabilities).filter(({ name }) => published.has(name));
for (const { name, severity, range } of found) console.error(`${severity}: ${name} ${range}`);
console.log(`${published.size} packages checked, ${found.length} with known vulnerabilities`);
if (found.length > 0) process.exitCode = 1;
