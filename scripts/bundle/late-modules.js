/**
 * A plugin that makes chunks load some modules of Node, and some chunks, when they use them. Most commands do not use these
 * modules, and they take a fifth of the processor time of help that is made from the command tree. The chunks are what
 * the first request does not need: 6 % of the time until it is sent.
 */

const MODULES = ['child_process', 'crypto', 'net', 'tty', 'zlib'];
/** Their names in scripts/build.js. */
const CHUNKS = ['other-commands', 'planning'];

const LATE = `node:(?:${MODULES.join('|')})|\\./(?:${CHUNKS.join('|')})-[^"/]*`;
const LOADING = new RegExp(`^\\t?(?:let|const) (\\w+) = require\\("(${LATE})"\\);$`, 'gm');

/** After a dot, the name is that of a member, except after the three of a spread. */
const NOT_A_MEMBER = '(?<![\\w$]|(?<!\\.\\.)\\.)';

export const lateModules = {
  name: 'late-modules',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = loadLate(chunk.code);
    }
  },
};

function loadLate(code) {
  return [...code.matchAll(LOADING)].reduce((changed, [statement, name, module]) => {
    const [before, after] = splitAt(changed, statement);
    const uses = new RegExp(`${NOT_A_MEMBER}${name}(?![\\w$])`, 'g');
    const members = new RegExp(`${NOT_A_MEMBER}${name}(?=\\.)`, 'g');
    // Loaded at once: a module that is passed on as a whole, and one whose name is declared again or used before.
    if (before.match(uses) || after.match(uses)?.length !== after.match(members)?.length)
      return changed;
    const late = `const ${name} = { get late() { return this.loaded ??= require("${module}"); } };`;
    return before + late + after.replace(members, () => `${name}.late`);
  }, code);
}

function splitAt(code, statement) {
  const start = code.indexOf(statement);
  return [code.slice(0, start), code.slice(start + statement.length)];
}
