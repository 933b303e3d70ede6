/** In the place of readable-stream/passthrough, a copy of an old Node's stream. */
module.exports = require('node:stream').PassThrough;
