#!/usr/bin/env node
// The bundle of src/cli/main.ts (rolldown.config.js).
require('../dist/program/main.js');
