/**
 * Prepares a release in its workflow: refuses a tag that is not the version, and writes the address of the repository to
 * package.json. It is not in there, since the project has no fixed one, and npm's provenance requires it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const {
  GITHUB_REF_NAME: tag,
  GITHUB_REPOSITORY: repository,
  GITHUB_SERVER_URL: server,
} = process.env;
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

if (!repository || !server) {
  console.error('error: GITHUB_REPOSITORY and GITHUB_SERVER_URL are not set');
  console.error('hint: Run this in the release workflow.');
  process.exitCode = 2;
} else if (tag !== `v${manifest.version}`) {
  console.error(`error: The tag ${tag} is not the version in package.json, ${manifest.version}`);
  console.error(`hint: Change the version, or tag the commit: git tag v${manifest.version}`);
  process.exitCode = 2;
} else {
  const address = `${server}/${repository}`;
  const located = {
    ...manifest,
    homepage: `${address}#readme`,
    repository: { type: 'git', url: `git+${address}.git` },
    bugs: { url: `${address}/issues` },
  };
  writeFileSync('package.json', `${JSON.stringify(located, undefined, 2)}\n`);
}
