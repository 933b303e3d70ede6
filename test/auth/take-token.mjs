// One of many processes that need a token at the same moment: prints the one it got. argv: the compiled program's folder.
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const part = (file) => import(pathToFileURL(join(process.argv[2], file)).href);
const { foldersFrom } = await part('cli/folders.js');
const { loadSettings } = await part('cli/settings.js');
const { sessionOf, withService } = await part('cli/compose-login.js');
const { systemClock } = await part('kernel/clock.js');

const { env, stdin, stdout, stderr } = process;
const folders = foldersFrom(env);
const { settings } = await loadSettings(env, folders.config);
const { signal } = new globalThis.AbortController();
const run = { env, stdin, stdout, stderr, clock: systemClock, signal, settings, folders };
const token = await withService(run, (service) => sessionOf(run, service).token());
stdout.write(`${token}`);
