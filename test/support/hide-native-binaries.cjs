/** Simulates a platform for which no package has a binary: node --require ./test/support/hide-native-binaries.cjs */
const { dlopen } = process;
process.dlopen = (module, file, ...rest) => {
  if (!/fs-native-extensions|keyring/.test(file))
    return dlopen.call(process, module, file, ...rest);
  throw Object.assign(new Error(`${file}: hidden`), { code: 'ERR_DLOPEN_FAILED' });
};
