/**
 * Keeps zod from making and compiling a function for each schema of an object when that is first used: 8 % of the processor
 * time of a chapter. The functions are a tenth faster after thousands of chapters, whose parsing takes 20 microseconds each.
 * zod has a setting for this, but it concerns every copy of zod in the process, and so programs that import the library.
 */
const FILE = /[\\/]zod[\\/]v4[\\/]core[\\/]schemas\.js$/;
const SETTING = 'const jit = !core.globalConfig.jitless;';

export const interpretedSchemas = {
  name: 'interpreted-schemas',
  transform(code, file) {
    if (!FILE.test(file)) return undefined;
    if (!code.includes(SETTING)) throw new Error(`${file} no longer has "${SETTING}".`);
    return { code: code.replace(SETTING, 'const jit = false;'), map: null };
  },
};
