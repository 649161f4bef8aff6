import { readFileSync } from 'node:fs'

/** The text of a document of the docs folder. */
export const documentText = (file: string): string =>
  readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')

/** The first block of code in a language below a heading of a document; throws when there is none. */
export function documentedCode(file: string, heading: string, language: string): string {
  const [, below = ''] = documentText(file).split(`\n${heading}\n`)
  const [, code] = below.split(`\`\`\`${language}\n`)
  const [block] = code?.split('\n```') ?? []
  if (block === undefined) throw new Error(`no ${language} below "${heading}" in ${file}`)
  return `${block}\n`
}
