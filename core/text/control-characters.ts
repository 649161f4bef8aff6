/** The control characters of ASCII: U+0000 to U+001F, and U+007F. */
const controls = /[\p{ASCII}&&\p{Cc}]+/gv

/** Returns whether a text holds a control character of ASCII: a tab, a line feed, an escape. */
export function hasControls(text: string): boolean {
  return text.search(controls) >= 0
}

/** Returns a text with each run of control characters replaced. */
export function replaceControls(text: string, replacement: string): string {
  return text.replaceAll(controls, replacement)
}
