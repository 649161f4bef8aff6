/**
 * Takes the place of `node:fs/promises` in the SDK's reader of configuration files, in the bundles of functions. Every
 * client gets its options from {@link file://./client-options.ts}. Loading the module of Node, with all that it loads
 * itself, would take 3 ms of every cold start.
 */
export function readFile(): Promise<never> {
  return Promise.reject(new Error('functions read no configuration files'))
}
