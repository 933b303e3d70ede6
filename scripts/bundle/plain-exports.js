/**
 * A plugin that makes what chunks export, and what they import of Node, plain properties in place of getters. For the
 * first request there were six hundred, each a function of its own.
 */

const GETTER =
  /^Object\.defineProperty\(exports, "([\w$]+)", \{\n\tenumerable: true,\n\tget: function\(\) \{\n\t\treturn ([\w$]+);\n\t\}\n\}\);$/gm;

/** What is assigned once. rolldown makes variables of classes and of what a whole module exports. */
const CONSTANT =
  /^(?:const|(?:async )?function\*?|var(?= [\w$]+ = class\b| [\w$]+_exports = )) ([\w$]+)/gm;

/** A copy of a module of Node whose properties call it. */
const COPY = /^(\w+) = (?:\w+\.)?__toESM\((node_\w+), 1\);$/gm;

export const plainExports = {
  name: 'plain-exports',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = withoutGetters(chunk.code);
    }
  },
};

function withoutGetters(code) {
  const constants = new Set([...code.matchAll(CONSTANT)].map(([, name]) => name));
  return code
    .replace(GETTER, (getter, name, value) =>
      constants.has(value) ? `exports.${name} = ${value};` : getter,
    )
    .replace(COPY, (copy, target, module) =>
      target === module ? `${target} = { default: ${module}, __proto__: ${module} };` : copy,
    );
}
