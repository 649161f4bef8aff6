/** The types of npm-command.mjs, which stays JavaScript for the machine's own Node. */
export declare function npmCommand(env?: NodeJS.ProcessEnv, machineNode?: string): [string, ...string[]]
