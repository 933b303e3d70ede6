/** Preloaded: `nas.local`, the server of the documentation's recipes, is at NAS_ADDRESS. */
const dns = require('node:dns');

const { lookup } = dns;
dns.lookup = (host, ...rest) =>
  lookup(host === 'nas.local' ? process.env.NAS_ADDRESS : host, ...rest);
