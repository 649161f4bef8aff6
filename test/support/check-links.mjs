// `node test/support/check-links.mjs`: fails when a relative link of a Markdown file leads nowhere, when a page names a
// test file that is gone, or when any file names a page of docs or the number of a decision that does not exist.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => /\.(?:md|ts|mjs|mts|json|yml|sh)$|Dockerfile$/.test(file) && existsSync(join(root, file)))
const textOf = (file) => readFileSync(join(root, file), 'utf8')

/** Returns the anchors of a page: its headings as code hosts write them, and explicit ids. */
function anchorsOf(page) {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .toLowerCase()
      .replaceAll(/\s/g, '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id)])
}

/** Returns what is wrong with the links of a page. */
function brokenLinks(page) {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path, anchor] = target.split('#')
    const file = path === '' ? page : relative(root, join(root, dirname(page), path))
    if (!existsSync(join(root, file))) return [`${page}: no file ${target}`]
    return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [`${page}: no heading ${target}`]
  })
}

/** Returns the pages, test files and decisions that a file names and that do not exist. */
function brokenNames(file) {
  const text = textOf(file)
  const names = file.endsWith('.md') ? /\b(?:docs|test)\/[\w/.-]+?\.(?:md|test\.ts)\b/g : /\bdocs\/[\w/.-]+?\.md\b/g
  const named = [...text.matchAll(names)].map(([name]) => name)
  const decisions = [...text.matchAll(/\bADR (\d+)/g)].map(([, number]) => number.padStart(4, '0'))
  return [
    ...named.filter((name) => !existsSync(join(root, name))).map((name) => `${file}: no file ${name}`),
    ...decisions
      .filter((number) => !files.some((name) => name.startsWith(`docs/adr/${number}-`)))
      .map((number) => `${file}: no decision ${number}`),
  ]
}

const pages = files.filter((file) => file.endsWith('.md'))
const problems = pages.flatMap(brokenLinks).concat(files.flatMap(brokenNames))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
