/** Fails when a package version that is published inside tankobon, or installed with it, has a known vulnerability. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const { components } = readJson('dist/bill-of-materials.cdx.json');
const published = new Set(components.map((component) => component['bom-ref']));
const { packages } = readJson('package-lock.json');
const { stdout, stderr } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
const { vulnerabilities, message } = parseJson(stdout);

if (vulnerabilities) {
  const found = Object.values(vulnerabilities).flatMap(advisoriesOf);
  for (const line of found) console.error(line);
  console.log(`${published.size} packages checked, ${found.length} known vulnerabilities`);
  if (found.length > 0) process.exitCode = 1;
} else {
  console.error(`error: The npm registry did not answer the audit: ${message ?? stderr.trim()}`);
  console.error('hint: Use a registry that answers npm audit: npm_config_registry=URL');
  process.exitCode = 2;
}

/** Lists advisories of the versions that are published; the lock file may have others of the same package, for development. */
function advisoriesOf({ name, nodes, via }) {
  const isPublished = nodes.some((path) => {
    const { name: realName = name, version } = packages[path];
    return published.has(`${realName}@${version}`);
  });
  const advisories = isPublished ? via.filter((one) => typeof one === 'object') : [];
  return advisories.map(
    ({ severity, range, title, url }) => `${severity}: ${name} ${range}: ${title} (${url})`,
  );
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
