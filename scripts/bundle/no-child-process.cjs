/** In the place of node:child_process: commander loads it for commands that are programs of their own; here none is. */
exports.spawn = () => {
  throw new Error('tankobon has no commands that are programs of their own.');
};
