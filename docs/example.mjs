// Downloads the targets of the command line to ./comics, and prints what happens:
//
//     node docs/example.mjs title:<UUID>
//
// To try it without the live service: `tankobon demo --serve` in another terminal, and paste what it prints here.
import { downloadChapters, hasCode, openRateLedger, quotasOf } from 'tankobon';

const [perSecond, perMinute] = quotasOf('api.mangadex.org', 'GET', '/at-home/server/any');
console.log(`${perSecond.requests} requests a second, ${perMinute.requests} chapters a minute`);

// A request of your own counts in the ledger that all tankobon processes of this machine share.
const ledger = await openRateLedger();
const url = new URL('/ping', process.env.TANKOBON_API_URL ?? 'https://api.mangadex.org');
const permit = await ledger.reserve({ method: 'GET', url });
try {
  const response = await fetch(url, { headers: { 'user-agent': 'example/1.0' } });
  await permit.settle(response);
  console.log(`the API responds with ${response.status}`);
} catch {
  await permit.settle();
  console.log('the API does not respond');
}
await ledger.close();

try {
  for await (const event of downloadChapters(process.argv.slice(2), { output: 'comics' })) {
    switch (event.type) {
      case 'chapter-started':
        console.log(`${event.chapter}: ${event.pages} pages`);
        break;
      case 'chapter-saved':
        console.log(`${event.file}: ${event.bytes} bytes`);
        break;
      case 'chapter-failed':
        console.log(`${event.chapter}: ${event.reason}. ${event.message}`);
        process.exitCode = 3;
        break;
      case 'summary':
        console.log(`${event.saved} saved, ${event.skipped} skipped, ${event.failed} failed`);
    }
  }
} catch (error) {
  if (!hasCode(error)) throw error;
  console.error(`${error.code}: ${error.message}\n${error.hint}`);
  process.exitCode = error.exitCode;
}
