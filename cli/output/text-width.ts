/** Characters that take two columns of a terminal: those of East Asia, and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u
/** Characters that are shown upon the one before, or not at all. */
const mark = /[\p{M}\p{Cf}]/u

/** Returns how many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

function widthOfCharacter(character: string): number {
  if (character < '\u0300') return 1
  return mark.test(character) ? 0 : wide.test(character) ? 2 : 1
}

/** Returns a text that takes at most so many columns; `…` ends a shortened one. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let [shown, width] = ['', 0]
  for (const character of text) {
    width += widthOfCharacter(character)
    if (width > columns - 1) break
    shown += character
  }
  return `${shown}…`
}

/** Fills a text with blanks to a width, on its left for numbers. */
export function padded(text: string, columns: number, isNumeric: boolean): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)))
  return isNumeric ? blanks + text : text + blanks
}

/** Returns a text in lines of at most so many columns, broken at blanks, and within a word that is longer. */
export function foldWords(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  const end = () => {
    if (line !== '') lines.push(line)
    line = ''
  }
  for (const word of text.split(' ')) {
    if (widthOf(line) + 1 + widthOf(word) > columns) end()
    line = line === '' ? word : `${line} ${word}`
    if (widthOf(line) <= columns) continue
    const characters = Array.from(line)
    line = ''
    for (const character of characters) {
      if (widthOf(line) + widthOf(character) > columns) end()
      line += character
    }
  }
  end()
  return lines
}
