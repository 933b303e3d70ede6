// Fetches what is named on the command line into ./shelf, and says what happens:
//
//     node docs/example.mjs title:<UUID>
//
// To try it without the live service: `tankobon demo --serve` in another terminal, and paste what it prints here.
import { downloadChapters, hasCode, openRateLedger, quotasOf } from 'tankobon';

const [perSecond, perMinute] = quotasOf('the API', 'GET', '/at-home/server/any');
console.log(`${perSecond.requests} requests a second, ${perMinute.requests} chapters a minute`);

// A request of our own takes its place in the same ledger as those of every tankobon on this machine.
const ledger = await openRateLedger();
const url = new URL('/ping', process.env.TANKOBON_API_URL ?? 'https://api.mangadex.org');
const place = await ledger.reserve({ method: 'GET', url });
try {
  const answer = await fetch(url, { headers: { 'user-agent': 'example/1.0' } });
  await place.settle({ status: answer.status, headers: Object.fromEntries(answer.headers) });
  console.log(`the API answers ${answer.status}`);
} catch {
  await place.settle();
  console.log('the API does not answer');
}
await ledger.close();

try {
  for await (const event of downloadChapters(process.argv.slice(2), { output: 'shelf' })) {
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
