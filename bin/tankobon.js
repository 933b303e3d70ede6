#!/usr/bin/env node
// src/cli/main.ts, as scripts/bundle/ puts it into few files.
require('../dist/program/main.js');
