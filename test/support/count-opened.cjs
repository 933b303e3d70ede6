/** Writes how often archives were opened to the file OPENED: node --require ./test/support/count-opened.cjs */
const fs = require('node:fs');

let opened = 0;
const counted = (open) =>
  function (file, ...rest) {
    if (/\.(cbz|zip|epub)$/i.test(String(file))) opened += 1;
    return open.call(this, file, ...rest);
  };
fs.open = counted(fs.open);
fs.openSync = counted(fs.openSync);
fs.promises.open = counted(fs.promises.open);
require('node:module').syncBuiltinESMExports();

const { writeFileSync } = fs;
process.on('exit', () => writeFileSync(process.env.OPENED, String(opened)));
