// One of several processes that need a token at the same moment: prints the one it got. argv: the URL of the compiled modules.
import process from 'node:process';

const load = (file) => import(`${process.argv[2]}/${file}`);
const { pathsFrom } = await load('config/paths.js');
const { loadSettings } = await load('config/settings.js');
const { sessionOf } = await load('service/login.js');
const { openService } = await load('service/service.js');
const { systemClock } = await load('core/clock.js');
const { systemKeychains } = await load('service/keychain.js');
const { Redactor } = await load('core/redactor.js');

const { env, stdout } = process;
const paths = pathsFrom(env);
const settings = await loadSettings(env, paths.config);
const redactor = new Redactor();
const openKeychain = systemKeychains(systemClock);
const context = { env, clock: systemClock, settings, paths, redactor, openKeychain };
const ignore = () => undefined;
const service = await openService(context, { onWait: ignore, warn: ignore });
try {
  stdout.write(await sessionOf(context, service).getToken());
} finally {
  await service.close();
}
