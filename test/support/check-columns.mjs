// `node test/support/check-columns.mjs`: fails when a line of a comment is longer than 120 columns, which the formatter
// leaves as it is. A directive to a tool, or one word that is too long, such as an address, may be longer.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(
    (file) => /\.(?:ts|mjs|cjs)$/.test(file) && !file.startsWith('test/fixtures/') && existsSync(join(root, file)),
  )
const mayBeLonger = /^\s*(?:\/\/|\/?\*+)\s*(?:(?:oxlint|biome)-\S+ .*|\S{100,})$/

const found = files.flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
    .filter(({ line }) => line.length > 120 && /^\s*(?:\/\/|\/?\*)/.test(line) && !mayBeLonger.test(line))
    .map(({ at, line }) => `${at}: a comment line has ${line.length} columns; wrap it at 120`),
)
for (const problem of found) console.error(problem)
process.exitCode = found.length === 0 ? 0 : 1
