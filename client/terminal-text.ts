/** Characters that act on a terminal instead of being shown: controls (7 and 8 bits), line and direction changes. */
const acting = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/**
 * Returns a text with each character that would act on a terminal as an escape that is shown. Names of callers, notes
 * of tenants and reasons of receivers come from strangers. The characters of `kept` stay, such as line feeds. JSON
 * stays JSON of the same value.
 */
export function terminalText(text: string, kept = ''): string {
  return text.replace(acting, (character) => {
    if (kept.includes(character)) return character
    return character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
