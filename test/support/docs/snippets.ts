/** The fenced snippets of a page. */
import { readFileSync } from 'node:fs'

/** A snippet: its language, its text and the line that it begins in. */
export interface Snippet {
  readonly language: string
  readonly text: string
  readonly line: number
}

/** Commands that readers paste, and the output that the page shows of them. */
export interface ShownCommands {
  readonly commands: Snippet
  readonly output: Snippet | undefined
}

/** Returns the snippets of a Markdown file, or of one section of it, in their order. */
export function snippetsOf(page: string, section?: string): readonly Snippet[] {
  const whole = readFileSync(page, 'utf8')
  const text = section === undefined ? whole : sectionOf(whole, section)
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: body = '', index }) => ({
    language,
    text: body,
    line: text.slice(0, index).split('\n').length,
  }))
}

/** Returns a section of second level with the lines before it left empty, so that lines keep their numbers. */
function sectionOf(text: string, title: string): string {
  const [before = '', after] = text.split(`\n## ${title}\n`)
  if (after === undefined) throw new Error(`the page has no section "${title}"`)
  return `${before.replaceAll(/.+/g, '')}\n\n${after.split('\n## ')[0]}`
}

/** Returns the commands of a page, or of a section: its `sh` snippets, each with the `json` snippet that follows it. */
export function shownCommands(page: string, section?: string): readonly ShownCommands[] {
  const snippets = snippetsOf(page, section)
  return snippets.flatMap((commands, at) => {
    if (commands.language !== 'sh') return []
    const next = snippets[at + 1]
    return [{ commands, output: next?.language === 'json' ? next : undefined }]
  })
}

/**
 * Returns a script for bash that runs commands one after the other in one shell, and writes the output of each to a
 * file of the folder `$OUTPUT`, named by its position. The first command that fails ends it; so does a refused request.
 */
export function scriptOf(commands: readonly string[]): string {
  const blocks = commands.map((text, at) => `{\n${text}\n} > "$OUTPUT/${at}"`)
  const curl = [
    'curl() {',
    '  case " $* " in *" -f "*) command curl "$@";; *) command curl --fail-with-body "$@";; esac',
    '  local status=$?; echo; return $status',
    '}',
  ].join('\n')
  return ['set -eu -o pipefail', curl, ...blocks].join('\n')
}

/**
 * Returns the paths at which an actual output lacks something that the page shows. It may have more members and items,
 * and longer texts.
 */
export function lackOf(shown: unknown, actual: unknown, path = ''): readonly string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return [path]
    const lacking = shown.map((item) => actual.map((each) => lackOf(item, each, `${path}[]`)))
    return lacking.flatMap((choices) => (choices.some((each) => each.length === 0) ? [] : (choices[0] ?? [path])))
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof actual !== 'object' || actual === null) return [path]
    return Object.entries(shown).flatMap(([name, member]) =>
      lackOf(member, Reflect.get(actual, name), `${path}.${name}`),
    )
  }
  if (typeof shown === 'string' && typeof actual === 'string') return actual.startsWith(shown) ? [] : [path]
  return shown === actual ? [] : [path]
}
