/**
 * Says what keeps a regular expression from being compiled for a matcher that runs in linear time, and where;
 * `undefined` for one that can be. Flags are any of `g`, `i`, `m`, `y`.
 */
export type PatternJudge = (pattern: string, flags: string) => string | undefined
