/**
 * A plugin that makes chunks load some modules of Node when they use them. Help does not use them, and they take a
 * fifth of its processor time.
 */

const MODULES = ['child_process', 'crypto', 'fs/promises', 'net', 'tty', 'zlib'];

const LOADING = new RegExp(
  `^\\t?(?:let|const) (\\w+) = require\\("(node:(?:${MODULES.join('|')}))"\\);$`,
  'gm',
);

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
    const [before = '', after = ''] = changed.split(statement);
    const uses = new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, 'g');
    const members = new RegExp(`(?<![\\w$.])${name}(?=\\.)`, 'g');
    // A module that is passed on as a whole is loaded at once.
    if (after.match(uses)?.length !== after.match(members)?.length) return changed;
    const late = `const ${name} = { get late() { return this.loaded ??= require("${module}"); } };`;
    return before + late + after.replace(members, () => `${name}.late`);
  }, code);
}
