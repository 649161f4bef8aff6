import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../support/platform/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-endpoint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const node = join(process.cwd(), 'node_modules/.bin/node')

/** Runs a file of the copy on the project's own Node. */
const run = (file: string, ...args: readonly string[]) =>
  runCommand(node, [file, ...args], { cwd: folder, env: outer() })

/** The environment without what this test run has set for its own tests. */
const outer = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))

const newEndpoint = 'test/support/scaffold/new-endpoint.ts'

/** A copy of the working tree: what the tool makes must not land in the checkout. */
beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { maxBuffer: 2 ** 28 })
  for (const file of files.toString().trim().split('\n')) cpSync(file, join(folder, file))
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
})

it('the files that new-endpoint generates compile and pass their own test and the tables of all endpoints', async () => {
  for (const words of [
    ['reports', 'readReport', 'GET', '/api/v2/reports/{report_id}'],
    ['hooks', 'countHooks', 'GET', '/api/v2/hook-count'],
  ]) {
    const { status, output } = await run(newEndpoint, ...words)
    expect(status, output).toBe(0)
  }

  const described = await run('test/support/api/openapi-file.ts')
  const types = await run('node_modules/typescript/bin/tsc', '--noEmit')
  const tests = await run(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project=unit',
    'test/unit/reports',
    'test/unit/hooks/count-hooks.test.ts',
    'test/unit/tenancy/route-table.test.ts',
    'test/unit/tenancy/callers-and-things.test.ts',
    'test/unit/openapi',
  )

  expect([described.status, described.output]).toEqual([0, ''])
  expect([types.status, types.output]).toEqual([0, ''])
  expect(tests.status, tests.output).toBe(0)
  expect(readFileSync(join(folder, 'docs/api/openapi.json'), 'utf8')).toContain('"/api/v2/reports/{report_id}"')
})

/** The files that the tool may make or change, each with its length. */
const filesOf = () =>
  globSync('{contracts,core,functions,test}/**/*.ts', { cwd: folder })
    .toSorted()
    .map((file) => `${file} ${statSync(join(folder, file)).size}`)

it.each([
  [['Reports', 'readReport', 'GET', '/reports'], 'the group must be'],
  [['reports', 'read report', 'GET', '/reports'], 'the operation id must be'],
  [['reports', 'readAReport', 'FETCH', '/reports'], 'the method must be'],
  [['reports', 'readAReport', 'GET', 'reports'], 'the path must be'],
  [['status', 'readStatus', 'GET', '/status'], 'there is an operation readStatus already'],
  [['status', 'readIt', 'GET', '/api/v2/status'], 'GET /api/v2/status is served already'],
  [['status', 'hangUpEverything', 'GET', '/api/v2/everything'], 'core/status/hang-up-everything.ts exists already'],
  [[], 'Makes the files of an endpoint'],
])('new-endpoint refuses the words %j and makes nothing', async (words, problem) => {
  writeFileSync(join(folder, 'core/status/hang-up-everything.ts'), '')
  const before = filesOf()

  const { status, output } = await run(newEndpoint, ...words)

  expect(status).toBe(2)
  expect(output).toContain(problem)
  expect(filesOf()).toEqual(before)
})
