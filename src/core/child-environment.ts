/** The environment of a child process that runs a library for this program: without its own variables, some of which are secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('TANKOBON_'));
  return Object.fromEntries(variables);
}
