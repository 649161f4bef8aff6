/** The part of toolchain.mjs that TypeScript files use; toolchain.mjs stays JavaScript for the machine's own Node. */
export declare function takeNoOptions(name: string, usage: string): void
export declare function usageAsked(name: string, usage: string): boolean
