/** Archives entry by entry: their pages are read by position, and new ones are written, read back and published. */
export { verifyEntryData } from './zip/verify-cbz.js';
export { ZipFileWriter, type Publish } from './zip/zip-file-writer.js';
export { reusableBuffer, ZipEntryReader, type GetBuffer, type ZipEntry } from './zip/zip-file.js';
