// Two requests and a report through whatever proxy the environment names; prints what came, or the errors' codes.
const [dist, url] = process.argv.slice(2);
const { openConnections } = await import(`${dist}/service/requests/connections.js`);
const timeouts = ['connect', 'tls', 'firstByte', 'idle', 'page', 'api', 'report'];
const limits = Object.fromEntries(timeouts.map((name) => [`${name}TimeoutMs`, 5_000]));
const connections = await openConnections(limits, process.env, { apiUrl: new URL(url) });
for (let times = 0; times < 2; times += 1) {
  const answer = await connections.api(url).catch((error) => ({ body: error.code }));
  console.log(answer.body);
}
const report = { url: new URL(url), json: {} };
const { status } = await connections.report(report).catch(({ cause }) => ({ status: cause.code }));
console.log(status);
connections.close();
