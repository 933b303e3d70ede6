// One of many processes that need a token at the same moment: prints the one it got. argv: the compiled program's folder.
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const part = (file) => import(pathToFileURL(join(process.argv[2], file)).href);
const { pathsFrom } = await part('app/paths.js');
const { loadSettings } = await part('app/settings.js');
const { sessionOf } = await part('app/login.js');
const { withService } = await part('cli/with-service.js');
const { systemClock } = await part('core/clock.js');

const { env, stdin, stdout, stderr } = process;
const paths = pathsFrom(env);
const { settings } = await loadSettings(env, paths.config);
const { signal } = new globalThis.AbortController();
const run = { env, stdin, stdout, stderr, clock: systemClock, signal, settings, paths };
const token = await withService(run, (service) => sessionOf(run, service).getToken());
stdout.write(`${token}`);
