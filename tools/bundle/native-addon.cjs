/**
 * In the place of require-addon, which looks for a native addon in a dozen places: fs-native-extensions, the only
 * one that asks it, keeps its prebuilt ones in one.
 */
module.exports = () => {
  const host = `${process.platform}-${process.arch}`;
  return require(`fs-native-extensions/prebuilds/${host}/fs-native-extensions.node`);
};
