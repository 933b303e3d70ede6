/** `npm run audit` against a registry that knows of vulnerabilities, in a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** The lock file has `inner` twice: 1.0.0, which is bundled, and 0.9.0 below a tool for development. */
const LOCKED = {
  'node_modules/inner': { version: '1.0.0', dev: true },
  'node_modules/alias': { name: '@scope/native', version: '2.0.0' },
  'node_modules/tool': { version: '1.0.0', dev: true, dependencies: { inner: '^0.9.0' } },
  'node_modules/tool/node_modules/inner': { version: '0.9.0', dev: true },
};
const PUBLISHED = ['inner@1.0.0', '@scope/native@2.0.0'];

let folder: string;
let registry: Server;
/** The affected versions of each package; undefined: a registry without audits. */
let vulnerable: Readonly<Record<string, string>> | undefined;
let asked: unknown;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-audit-'));
  const root = {
    name: 'example',
    version: '1.0.0',
    dependencies: { alias: 'npm:@scope/native@^2.0.0' },
    devDependencies: { inner: '^1.0.0', tool: '^1.0.0' },
  };
  const packages = { '': root, ...LOCKED };
  const files = {
    'package.json': root,
    'package-lock.json': { ...root, lockfileVersion: 3, requires: true, packages },
    'dist/bill-of-materials.cdx.json': { components: PUBLISHED.map((ref) => ({ 'bom-ref': ref })) },
  };
  mkdirSync(join(folder, 'dist'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  registry = createServer((request, response) => {
    void buffer(request).then((body) => {
      const name = decodeURIComponent(request.url?.slice(1) ?? '');
      if (vulnerable && request.url === '/-/npm/v1/security/advisories/bulk') {
        asked = JSON.parse(gunzipSync(body).toString());
        response.end(JSON.stringify(advisoriesFor(vulnerable)));
      } else if (vulnerable && name in vulnerable) {
        response.end(JSON.stringify(packument(name)));
      } else {
        response.writeHead(405).end('{"error":"not supported"}');
      }
    });
  });
  await once(registry.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  registry.closeAllConnections();
  await new Promise((closed) => registry.close(closed));
  rmSync(folder, { recursive: true, force: true });
});

const advisoriesFor = (packages: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(packages).map(([name, range], id) => {
      const url = `https://advisories.example/${id}`;
      const more = { title: 'Prototype pollution', severity: 'high', cwe: [], cvss: { score: 0 } };
      return [name, [{ id, url, vulnerable_versions: range, ...more }]];
    }),
  );

function packument(name: string): unknown {
  const numbers = ['0.9.0', '1.0.0', '2.0.0'];
  const versions = numbers.map((version) => [version, { name, version }]);
  return {
    name,
    versions: Object.fromEntries(versions) as unknown,
    'dist-tags': { latest: '2.0.0' },
  };
}

async function audit() {
  const { port } = registry.address() as AddressInfo;
  const child = spawn(process.execPath, [resolve('scripts/audit.js')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(folder, 'cache'),
      npm_config_fetch_retries: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

test('the registry is asked for every version; one that only development uses does not fail', async () => {
  vulnerable = { inner: '<1.0.0', tool: '*' };
  expect(await audit()).toEqual({
    code: 0,
    stdout: '2 packages checked, 0 known vulnerabilities\n',
    stderr: '',
  });
  expect(asked).toMatchObject({ inner: ['1.0.0', '0.9.0'], '@scope/native': ['2.0.0'] });
});

test('a bundled version and an installed one with an advisory fail, with its address', async () => {
  vulnerable = { inner: '>=1.0.0', '@scope/native': '*' };
  const { code, stdout, stderr } = await audit();
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: '2 packages checked, 2 known vulnerabilities\n',
  });
  expect(stderr.split('\n')).toContain(
    'high: inner >=1.0.0: Prototype pollution (https://advisories.example/0)',
  );
  expect(stderr).toContain('high: @scope/native *: ');
});

test('a registry that does not answer audits is an error of its own, with what to do', async () => {
  vulnerable = undefined;
  const { code, stdout, stderr } = await audit();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^error: The npm registry did not answer the audit: .*405/),
    expect.stringMatching(/^hint: .*npm_config_registry=/),
  ]);
});
