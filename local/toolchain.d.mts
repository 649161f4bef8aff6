/** What TypeScript files use of toolchain.mjs, which stays JavaScript for the machine's own Node. */
export declare function takeNoOptions(name: string, usage: string): void
