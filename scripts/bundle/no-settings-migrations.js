/** Replaces semver, which conf uses only for migrations. The settings have none: 1 % of the tarball. */
const compare = () => {
  throw new Error('tankobon has no migrations of settings.');
};

export default { clean: compare, eq: compare, gt: compare, lte: compare, satisfies: compare };
