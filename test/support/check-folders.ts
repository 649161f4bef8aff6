// `node test/support/check-folders.ts`: fails when folders of the product import each other in a circle.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFolderCycles } from './find-folder-cycles.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const product = [
  'core',
  'contracts',
  'adapters',
  'functions',
  'connector',
  'lib',
  'bin',
  'local',
  'packages',
  'client',
  'cli',
  'engine',
]
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...product], { cwd: root })
  .toString()
  .split('\n')
  .filter((path) => /\.(?:ts|mts|mjs)$/.test(path) && existsSync(join(root, path)))
const cycles = findFolderCycles(paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))
for (const { folders, imports } of cycles) {
  console.error(`these folders import each other: ${folders.join(', ')}`)
  for (const each of imports) console.error(`  ${each}`)
}
if (cycles.length > 0) {
  console.error('move what both sides need to a folder that imports neither of them')
  process.exit(1)
}
