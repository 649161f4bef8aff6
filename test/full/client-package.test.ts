import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'

const domain = 'client.example.com'
const root = join(import.meta.dirname, '../..')
const modules = join(root, 'node_modules')
const node = join(modules, '.bin/node')

const rig = opened(() => aPlatform())

const folder = mkdtempSync(join(tmpdir(), 'callplane-client-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The examples of the README, as one program. */
function documentedProgram(): string {
  const text = readFileSync(join(root, 'client/README.md'), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')
}

/** Runs Node without holding up this process, in which the platform answers. */
const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const { stdout } = await promisify(execFile)(node, args, { cwd: folder, env: { ...process.env, ...env } })
  return stdout
}

const tsc = join(modules, 'typescript/bin/tsc')

beforeAll(async () => {
  await rig().tenant(domain)
  const installed = join(folder, 'node_modules/callplane-client')
  mkdirSync(installed, { recursive: true })
  copyFileSync(join(root, 'client/package.json'), join(installed, 'package.json'))
  await run([tsc, '-p', join(root, 'client'), '--outDir', join(installed, 'dist')])
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'program.ts'), documentedProgram())
})

it('the program of the README compiles against the declarations of the package', async () => {
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck']
  const types = ['--types', 'node', '--typeRoots', join(modules, '@types')]

  expect(await run([tsc, ...options, ...types, 'program.ts'])).toBe('')
})

it('the program of the README runs with the built package against the platform', async () => {
  const output = await run(['program.ts'], {
    CALLPLANE_URL: rig().url,
    CALLPLANE_USER: `1000@${domain}`,
    CALLPLANE_PASSWORD: tenantPassword('1000'),
  })

  expect(output.split('\n')).toEqual([
    `I am 1000@${domain}, admin`,
    '404 not_found 0 true',
    '0 calls',
    '1000 1001',
    '1002',
    'function',
    '401',
    '',
  ])
})
