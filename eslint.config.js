/** For editors, which look for this name: the configuration is in .eslintrc.cjs. */
export { default } from './.eslintrc.cjs';
