#!/usr/bin/env node
// src/cli/main.ts, as tools/bundle/ puts it into few files.
require('../dist/program/main.js');
