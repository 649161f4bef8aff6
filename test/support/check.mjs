// `npm run check`: everything that is judged without running the product. Plain JavaScript, so that it starts on the
// machine's own Node before anything is installed.
import { ensureInstalled, run, takeNoOptions } from '../../local/toolchain.mjs'

const steps = [
  { title: 'format', command: 'biome', args: ['format', '.'] },
  { title: 'lint', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { title: 'types', command: 'tsc', args: ['-p', '.'] },
  { title: 'dead code', command: 'knip', args: [] },
  { title: 'folders', command: 'node', args: ['test/support/check-folders.ts'] },
  { title: 'columns of comments', command: 'node', args: ['test/support/check-columns.mjs'] },
  { title: 'links of docs', command: 'node', args: ['test/support/check-links.mjs'] },
  { title: 'API description', command: 'node', args: ['test/support/api/openapi-file.ts', '--check'] },
  { title: 'client package', command: 'npm', args: ['pack', './client', '--dry-run', '--loglevel=error'] },
  {
    title: 'synth with rule packs',
    command: 'cdk',
    args: ['synth', '--quiet', '-c', 'stage=dev', '-c', 'localSettings=off'],
  },
]

takeNoOptions(
  'npm run check',
  'Checks format, lint, types, dead code, cycles of folders, columns of comments, links of docs, the API description, the client package and the synthesized stacks. Takes no options.',
)
ensureInstalled()
for (const { title, command, args } of steps) {
  const startedAt = Date.now()
  const status = run(command, args)
  if (status !== 0) {
    console.error(`check failed at: ${title}`)
    process.exit(status)
  }
  console.log(`ok  ${title} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
}
console.log('check passed')
