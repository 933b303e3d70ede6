/** Replaces the copy of an old Node's streams, which a dependency of archiver brings: 7 % of the start. */
module.exports = require('node:stream').PassThrough;
