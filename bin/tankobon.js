#!/usr/bin/env node
// An old Node must be able to read this file, so its syntax is that of ECMAScript 5.
var version = process.versions.node.split('.');
var major = Number(version[0]);
var minor = Number(version[1]);

// "engines" in package.json says the same.
if (major > 22 || (major === 22 && minor >= 2) || (major === 20 && minor >= 15)) {
  // The bundle of src/cli/main.ts (scripts/build.js).
  require('../dist/program/main.js');
} else {
  var onNewNode = 'npx -p node@24 -p tankobon tankobon --help';
  var running = process.versions.node + ' (' + process.execPath + ')';
  console.error('error: tankobon needs Node.js 20.15, 22.2 or newer, and this is ' + running);
  console.error('hint: Install Node.js 24 (https://nodejs.org/en/download), or run: ' + onNewNode);
  process.exitCode = 2;
}
