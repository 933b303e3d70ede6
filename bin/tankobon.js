#!/usr/bin/env node
// The bundle of src/cli/main.ts (scripts/build.js).
require('../dist/program/main.js');
