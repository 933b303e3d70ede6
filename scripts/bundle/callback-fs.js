/**
 * Replaces node:fs/promises, which takes 2 % of the time to the first request to load, and whose functions take twice
 * the processor time of those with callbacks. The others, of which some take or return a FileHandle, are its own.
 */
import fs from 'node:fs';
import { promisify } from 'node:util';

export const access = promisify(fs.access);
export const link = promisify(fs.link);
export const lstat = promisify(fs.lstat);
export const mkdir = promisify(fs.mkdir);
export const readdir = promisify(fs.readdir);
// Like that of node:fs/promises, it asks the system.
export const realpath = promisify(fs.realpath.native);
export const rename = promisify(fs.rename);
export const rmdir = promisify(fs.rmdir);
export const stat = promisify(fs.stat);
export const statfs = promisify(fs.statfs);
export const unlink = promisify(fs.unlink);
export const utimes = promisify(fs.utimes);

export const constants = fs.constants;
export const open = (...args) => fs.promises.open(...args);
export const opendir = (...args) => fs.promises.opendir(...args);
export const readFile = (...args) => fs.promises.readFile(...args);
export const rm = (...args) => fs.promises.rm(...args);
export const writeFile = (...args) => fs.promises.writeFile(...args);
