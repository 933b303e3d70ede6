/**
 * Keeps the compiled code of the program in the state folder, so that later runs do not compile it again. The cache is
 * optional: whatever is wrong with it, the program is compiled as usual. Its content is executed, so it is used only
 * where no other user can have written it.
 */
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isAscii } from 'node:buffer';
import Module, { isBuiltin } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { constants as vmConstants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { isInFolder, ownFolders } from './own-folders.js';
import { isExecutable } from '../core/executable.js';
import { underDefaultFlags } from '../core/v8-flags.js';

const FOLDER_NAME = 'code-cache';
/** The checksum of the program, or a digest by older versions, and the version and processor of Node. */
const CACHE_NAME = /^[0-9a-f]{8,64}-v\d/;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const CHECKSUM_BYTES = 4;
/** For most chunks and their compiled code. Pages that are not used take no memory. */
const MIN_BUFFER_BYTES = 512 * 1024;
const UNFINISHED = '.new';
/** The function that Node makes of a file. */
const [BEFORE = '', AFTER = ''] = Module.wrap('\0').split('\0');

/** The documented name of Module._extensions is `require.extensions`, which a bundle does not have. */
interface ModuleLoaders {
  readonly _extensions: Record<'.js', (module: NodeJS.Module, file: string) => void>;
}

/** The chunks of the program that are loaded after this call come from the cache. */
export function openCodeCache(env: Readonly<NodeJS.ProcessEnv>): void {
  // The executable has no files to compile, and its own cache. Code from a cache is not counted by a coverage report.
  if (env['TANKOBON_CODE_CACHE'] === 'false' || env['NODE_V8_COVERAGE'] || isExecutable) return;
  try {
    const program = dirname(fileURLToPath(import.meta.url));
    const { state } = ownFolders(env, process.platform, homedir);
    // The names of all other chunks follow from main.js.
    const build = checksumOf(readFileSync(join(program, 'main.js')));
    new CodeCache(state, `${build}-${process.version}-${process.arch}`).use(program);
  } catch {
    // Without a home folder, there is no cache.
  }
}

interface CompiledChunk {
  /** The name of its file in the cache. */
  readonly name: string;
  readonly script: Script;
}

/** V8's cached data for each chunk, by the checksum of its source and by V8's version and flags. */
class CodeCache {
  #compiled: readonly CompiledChunk[] = [];
  /** Takes each file in turn: memory that was not used before costs more than the copy. */
  #buffer = Buffer.alloc(0);

  constructor(
    private readonly state: string,
    private readonly name: string,
  ) {}

  use(program: string): void {
    const folder = join(this.state, FOLDER_NAME, this.name);
    const canRead = isPrivate(folder);
    const { _extensions: loaders } = Module as unknown as ModuleLoaders;
    const load = loaders['.js'];
    loaders['.js'] = (module, file) => {
      const script =
        dirname(file) === program
          ? underDefaultFlags(() => this.#compile(file, canRead ? folder : undefined))
          : undefined;
      if (script) runModule(script, module, file);
      else load(module, file);
    };
    // V8 compiles a function when it is first called, so most are compiled by the exit.
    process.on('exit', () => {
      this.#save();
    });
  }

  #compile(file: string, folder: string | undefined): Script | undefined {
    try {
      const source = this.#read(file, BEFORE, AFTER);
      const bytes = source.subarray(BEFORE.length, source.length - AFTER.length);
      const name = `${checksumOf(bytes)}-${cachedDataVersionTag().toString(16)}`;
      const text = textOf(source);
      const cachedData = folder === undefined ? undefined : this.#readChecked(join(folder, name));
      const script = new Script(text, {
        filename: file,
        cachedData,
        importModuleDynamically: vmConstants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
      if (!cachedData || script.cachedDataRejected)
        this.#compiled = [...this.#compiled, { name, script }];
      return script;
    } catch {
      return undefined;
    }
  }

  /**
   * The bytes of the file within those of two texts, until the next call. Module.wrap would make one more string of half a
   * megabyte, and so V8 collect garbage: 2 % of the start.
   */
  #read(file: string, before = '', after = ''): Buffer {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const end = before.length + size;
      const length = end + after.length;
      if (this.#buffer.length < length)
        this.#buffer = Buffer.allocUnsafeSlow(Math.max(length, MIN_BUFFER_BYTES));
      this.#buffer.write(before, 0, 'latin1');
      const bytesRead = readSync(descriptor, this.#buffer, before.length, size, 0);
      if (bytesRead < size) throw new Error(`${file} became shorter while it was read.`);
      this.#buffer.write(after, end, 'latin1');
      return this.#buffer.subarray(0, length);
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * Undefined for a file that is missing, or damaged: V8 does not check the data itself. Also for one of another user, who
   * wrote it while others could write to the folder.
   */
  #readChecked(file: string): Buffer | undefined {
    let bytes: Buffer;
    try {
      if (process.platform !== 'win32' && lstatSync(file).uid !== process.geteuid?.())
        return undefined;
      bytes = this.#read(file);
    } catch {
      return undefined;
    }
    const end = bytes.length - CHECKSUM_BYTES;
    const data = bytes.subarray(0, Math.max(0, end));
    return end > 0 && crc32(data) === bytes.readUInt32LE(end) ? data : undefined;
  }

  #save(): void {
    if (this.#compiled.length === 0) return;
    try {
      const folder = makeCacheFolder(this.state, this.name);
      if (folder === undefined) return;
      // A killed run left them. A process that is writing one now saves nothing.
      for (const name of readdirSync(folder))
        if (name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
      underDefaultFlags(() => {
        for (const { name, script } of this.#compiled)
          writeChecked(join(folder, name), script.createCachedData());
      });
    } catch {
      // The disk is full or read-only: the next run compiles again.
    }
  }
}

/** The build escapes almost all other characters. Without decoding, half a megabyte is read in half the time. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString();
}

type Wrapper = (
  exports: unknown,
  require: (id: string) => unknown,
  module: NodeJS.Module,
  file: string,
  folder: string,
) => void;

function runModule(script: Script, module: NodeJS.Module, file: string): void {
  const run = script.runInThisContext() as Wrapper;
  const require = (id: string): unknown =>
    isBuiltin(id) ? requireOfNode(id, module) : (module.require(id) as unknown);
  run.call(module.exports, module.exports, require, module, file, dirname(file));
}

/** Node's modules by the names under which they were asked for. */
const ofNode = new Map<string, unknown>();

function requireOfNode(id: string, module: NodeJS.Module): unknown {
  if (!ofNode.has(id))
    ofNode.set(
      id,
      underDefaultFlags(() => module.require(id) as unknown),
    );
  return ofNode.get(id);
}

/**
 * The folder, which is created below an existing state folder and replaces those of other versions. Undefined if other
 * users may write to it.
 */
function makeCacheFolder(state: string, name: string): string | undefined {
  const parent = join(state, FOLDER_NAME);
  const folder = join(parent, name);
  if (isPrivate(folder)) return folder;
  if (!isPrivate(state)) return undefined;
  for (const missing of [parent, folder])
    if (lstatSync(missing, { throwIfNoEntry: false }) === undefined)
      mkdirSync(missing, { mode: FOLDER_MODE });
  if (!isPrivate(folder)) return undefined;
  for (const other of readdirSync(parent))
    if (other !== name && CACHE_NAME.test(other))
      rmSync(join(parent, other), { recursive: true, force: true });
  return folder;
}

/**
 * Whether only this user, and root, can change what is in the folder: it is this user's, and others can write neither to
 * it nor to a folder above it, other than a sticky one such as /tmp. False for a folder that does not exist.
 */
function isPrivate(folder: string): boolean {
  try {
    const real = realpathSync(folder);
    // Windows keeps a home folder private; another folder may be anyone's.
    if (process.platform === 'win32') return isInFolder(real, homedir());
    const uid = process.geteuid?.();
    const { uid: owner, mode } = lstatSync(real);
    if (owner !== uid || (mode & OTHERS_WRITE) !== 0) return false;
    return [...foldersAbove(folder), ...foldersAbove(real)].every((above) => {
      const stats = lstatSync(above);
      const isOpen = (stats.mode & OTHERS_WRITE) !== 0 && (stats.mode & STICKY) === 0;
      return (stats.uid === uid || stats.uid === 0) && (!isOpen || stats.isSymbolicLink());
    });
  } catch {
    return false;
  }
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** The file is complete or does not appear, even if the process is killed. */
function writeChecked(file: string, data: Buffer): void {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  const unfinished = `${file}.${process.pid}${UNFINISHED}`;
  try {
    writeFileSync(unfinished, Buffer.concat([data, checksum]), { flag: 'wx', mode: FILE_MODE });
    renameSync(unfinished, file);
  } catch (error) {
    // Part of it may take the last of the space.
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** A checksum shows that a build is another one; node:crypto, which has digests, takes 4 ms to load. */
function checksumOf(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, '0');
}
