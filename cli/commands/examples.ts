/** Returns the text of examples that stands at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ callplane ${line}`).join('\n')}`
}
