/** CBZ files and ComicInfo.xml as programs read them that share no code with tankobon. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileState } from '../../src/core/file-state.js';
import { rewriterOf } from '../../src/library/file.js';
import { comicInfoXml } from '../../src/library/comic-info.js';
import { writeCbz } from '../../src/library/cbz-writer.js';
import { formatIdentityComment } from '../../src/library/mark.js';
import { chapterId } from '../support/chapter-files.js';
import { describeWith } from '../support/requirements.js';
import { SAMPLE_IMAGES } from '../support/sample-images.js';

const { adopt, restore } = await rewriterOf({ path: 'a.cbz' });
const COMMENT = '第1話 – naïve';
const PYTHON = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([archive.testzip(), archive.comment.decode("utf8"), archive.namelist()]))`;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-readers-'));
  file = join(folder, 'a.cbz');
  const pages = Object.values(SAMPLE_IMAGES).map((bytes, index) => {
    const page = join(folder, `page-${index}`);
    writeFileSync(page, bytes);
    return { file: page, bytes: bytes.length };
  });
  const comicInfo = await comicInfoXml({ title: 'Tea & <cake>', pages: [] });
  await writeCbz({ file, pages, comicInfo, comment: COMMENT });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The standard output; standard error is in the message where the program fails. */
const output = (program: string, words: readonly string[], input?: Buffer): Buffer =>
  execFileSync(program, words, { input, stdio: 'pipe' });

describeWith('unzip', { programs: ['unzip'] }, () => {
  test('finds no errors', () => {
    expect(output('unzip', ['-tq', file]).toString()).toContain('No errors');
  });
});

describeWith('libarchive', { programs: ['bsdtar'] }, () => {
  test('reads the archive from a stream', () => {
    const streamed = readFileSync(file);
    expect(output('bsdtar', ['-xOf', '-', '002.png'], streamed)).toEqual(SAMPLE_IMAGES.png);
    const listed = output('bsdtar', ['-tf', '-'], streamed).toString();
    expect(listed.trim().split('\n')).toHaveLength(6);
  });
});

describeWith('Python', { programs: ['python3'] }, () => {
  test('reads the entries and the comment', () => {
    expect(JSON.parse(output('python3', ['-c', PYTHON, file]).toString())).toEqual([
      null,
      COMMENT,
      ['001.jpg', '002.png', '003.gif', '004.webp', '005.avif', 'ComicInfo.xml'],
    ]);
  });
});

const WRITE_LIKE_GALLERY_DL = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1], "a", zipfile.ZIP_DEFLATED, True)
for name in ["Sea_c001_001.jpg", "第1話.png"]: archive.writestr(name, name * 99)
archive.close()`;

describeWith('an adopted archive of Python', { programs: ['python3', 'unzip'] }, () => {
  test('is read by others, and restored byte for byte', async () => {
    const [original, adopted, restored] = ['1', '2', '3'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    output('python3', ['-c', WRITE_LIKE_GALLERY_DL, original]);
    const record = { chapterId: chapterId(1) };
    const comment = formatIdentityComment(record);
    const found = async (file: string) => {
      const state = await readFileState(file);
      if (!state) throw new Error(`${file} is not a regular file.`);
      return { file, state };
    };
    await adopt(await found(original), adopted, () => Promise.resolve({ record, comment }));
    expect(output('unzip', ['-tq', adopted]).toString()).toContain('No errors');
    expect(JSON.parse(output('python3', ['-c', PYTHON, adopted]).toString())).toEqual([
      null,
      comment,
      ['Sea_c001_001.jpg', '第1話.png', 'META-INF/tankobon.json'],
    ]);
    await restore(await found(adopted), restored);
    expect(readFileSync(restored)).toEqual(readFileSync(original));
  });
});

describeWith('xmllint', { programs: ['xmllint', 'unzip'] }, () => {
  test('validates ComicInfo.xml', () => {
    const xml = output('unzip', ['-p', file, 'ComicInfo.xml']);
    const schema = 'test/fixtures/comicinfo/ComicInfo-2.1.xsd';
    output('xmllint', ['--noout', '--nonet', '--schema', schema, '-'], xml);
  });
});
