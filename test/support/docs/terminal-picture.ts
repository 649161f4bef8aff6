/** Draws what a terminal showed as an SVG: light or dark as its viewer is, line by line unless motion is unwanted. */

/** A command and what it showed, with the sequences of its colours. */
export interface Scene {
  readonly command: string
  readonly output: string
}

const lineHeight = 20
const charWidth = 8.4
const margin = 16
const secondsPerScene = 2.5

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
// oxlint-disable-next-line no-control-regex -- the sequences of colours begin with a control character
const parts = /\u001B\[([\d;]*)m|\u001B\[[\d;?]*[A-Za-z]|([^\u001B]+)/g

/** The parts of a line as spans, each of the class of its colour: `c1` bold, `c2` dim, `c31` red and so on. */
function spansOf(line: string): string {
  let classes: readonly string[] = []
  return [...line.matchAll(parts)]
    .map(([, codes, text]) => {
      if (codes !== undefined) {
        const set = codes.split(';').filter((code) => /^(?:1|2|3\d|9\d)$/.test(code) && code !== '39')
        classes = set.length === 0 ? [] : [...classes, ...set.map((code) => `c${code}`)]
      }
      if (text === undefined) return ''
      return classes.length === 0 ? escaped(text) : `<tspan class="${classes.join(' ')}">${escaped(text)}</tspan>`
    })
    .join('')
}

const style = `
  :root { --page: #fff; --text: #1f2430; --dim: #5c6573; --red: #b3261e; --green: #13692f; --yellow: #8a4b00; --blue: #0b57d0 }
  @media (prefers-color-scheme: dark) {
    :root { --page: #14171d; --text: #e4e7ee; --dim: #a3adbd; --red: #ff9d94; --green: #7bd88f; --yellow: #f2bd6a; --blue: #8ab4f8 }
  }
  rect { fill: var(--page); stroke: var(--dim) }
  text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text); white-space: pre }
  .prompt, .c1 { font-weight: 700 } .c2, .c90 { fill: var(--dim) } .c31, .c91 { fill: var(--red) }
  .c32, .c92 { fill: var(--green) } .c33, .c93 { fill: var(--yellow) } .c34, .c36, .c94, .c96 { fill: var(--blue) }
  @media (prefers-reduced-motion: no-preference) { text { animation: shown 20s steps(1) backwards } }
  @keyframes shown { from { opacity: 0 } 0.1% { opacity: 1 } }`

/** Returns the picture of some commands, one after the other. */
export function terminalPicture(scenes: readonly Scene[]): string {
  const lines = scenes.flatMap(({ command, output }, scene) => [
    { at: scene * secondsPerScene, text: `<tspan class="prompt">$ ${escaped(command)}</tspan>` },
    ...output
      .trimEnd()
      .split('\n')
      .map((line, index) => ({ at: scene * secondsPerScene + 0.8 + index * 0.05, text: spansOf(line) })),
    { at: scene * secondsPerScene + 2, text: '' },
  ])
  const height = lines.length * lineHeight + margin
  const columns = Math.max(...lines.map(({ text }) => text.replaceAll(/<[^>]+>/g, '').length))
  const width = Math.ceil(columns * charWidth) + 2 * margin
  const drawn = lines.map(({ at, text }, index) => {
    const y = margin + (index + 0.7) * lineHeight
    return text === '' ? '' : `<text x="${margin}" y="${y}" style="animation-delay: ${at.toFixed(1)}s">${text}</text>\n`
  })
  const title = `A terminal: ${scenes.map(({ command }) => command).join(', ')}`
  const box = `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" />`
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" xml:space="preserve">`
  return `${open}\n<title>${escaped(title)}</title>\n<style>${style}\n</style>\n${box}\n${drawn.join('')}</svg>\n`
}
