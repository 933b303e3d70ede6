/**
 * A registry of npm packages on loopback: the packed program, and packages of node_modules with what they need. It has
 * nothing else, so npm installs from an empty cache as it does from the public one, without leaving the machine.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Package {
  readonly manifest: Manifest;
  readonly tarball: Buffer;
}

export interface PackageRegistry {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param names folders of node_modules */
export async function startPackageRegistry(
  program: string,
  names: readonly string[],
): Promise<PackageRegistry> {
  const packages = [packedPackage(program), ...foldersOf(names).map(installedPackage)];
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(url.slice(1));
    const tarball = packages.find(({ manifest }) => path === tarballPath(manifest));
    const named = packages.find(({ manifest }) => path === manifest.name);
    if (tarball) response.end(tarball.tarball);
    else if (named) response.end(JSON.stringify(metadata(named, origin)));
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const tarballPath = ({ name, version }: Manifest) => `${name}/-/${version}.tgz`;

/** What a registry answers for a package: <https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md>. */
function metadata({ manifest, tarball }: Package, origin: string) {
  const { name, version } = manifest;
  const digest = (algorithm: string) => createHash(algorithm).update(tarball);
  const dist = {
    tarball: `${origin}/${tarballPath(manifest)}`,
    shasum: digest('sha1').digest('hex'),
    integrity: `sha512-${digest('sha512').digest('base64')}`,
  };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

function packedPackage(file: string): Package {
  const json = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
  return { manifest: JSON.parse(json) as Manifest, tarball: readFileSync(file) };
}

function installedPackage(folder: string): Package {
  const args = ['--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.'];
  const tarball = execFileSync('tar', ['-I', 'gzip -1', '-cf', '-', ...args], {
    maxBuffer: 256 * 2 ** 20,
  });
  return { manifest: manifestOf(folder), tarball };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The folders of these packages and of all that they need. Those for other platforms are not there. */
function foldersOf(names: readonly string[], within = '.'): string[] {
  return names.flatMap((name) => {
    const nested = join(within, 'node_modules', name);
    const folder = existsSync(nested) ? nested : join('node_modules', name);
    if (!existsSync(folder)) return [];
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
    const needed = Object.keys({ ...dependencies, ...optionalDependencies });
    return [folder, ...foldersOf(needed, folder)];
  });
}
