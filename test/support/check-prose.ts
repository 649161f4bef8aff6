// `node test/support/check-prose.ts`: fails on the markers of the dialect that `prose-markers.ts` lists. Folders that are not
// rewritten yet have a number in `prose-ratchet.json`, which may only fall; `--lower` writes the present numbers into it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProseMarkers, folderOf } from './find-prose-markers.ts'
import { proseMarkers } from './prose-markers.ts'
import ratchet from './prose-ratchet.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const limits: Readonly<Record<string, number>> = ratchet
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => /\.(?:md|ts|mts|mjs)$/.test(file) && existsSync(join(root, file)))
  // The list names what it refuses.
  .filter((file) => !/prose-markers(?:\.test)?\.ts$/.test(file))

const found = Map.groupBy(
  files.flatMap((file) => findProseMarkers(file, readFileSync(join(root, file), 'utf8'), proseMarkers)),
  ({ file }) => folderOf(file, Object.keys(limits)),
)
if (process.argv.includes('--lower')) {
  const present = Object.entries(limits).map(([folder, limit]) => [
    folder,
    Math.min(limit, found.get(folder)?.length ?? 0),
  ])
  writeFileSync(
    join(import.meta.dirname, 'prose-ratchet.json'),
    `${JSON.stringify(Object.fromEntries(present), null, 2)}\n`,
  )
} else {
  for (const [folder, places] of found) {
    const limit = limits[folder] ?? 0
    if (places.length <= limit) continue
    for (const { file, line, marker } of places) console.error(`${file}:${line}: ${marker.name}: ${marker.advice}`)
    console.error(`${folder}: ${places.length} markers of the dialect, at most ${limit} allowed`)
    process.exitCode = 1
  }
}
