// One call through whatever proxy the environment names; prints what came, or the error's code.
const [dist, url] = process.argv.slice(2);
const { openConnections } = await import(`${dist}/service/requests/connections.js`);
const timeouts = ['connect', 'tls', 'firstByte', 'idle', 'page', 'api', 'report'];
const limits = Object.fromEntries(timeouts.map((name) => [`${name}TimeoutMs`, 5_000]));
const connections = await openConnections(limits, process.env, { apiUrl: new URL(url) });
for (let times = 0; times < 2; times += 1) {
  const answer = await connections.api(url).catch((error) => ({ body: error.code }));
  console.log(answer.body);
}
connections.close();
