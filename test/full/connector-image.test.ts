/** The image of the connector without a builder: its Dockerfile is judged, its file system assembled, and its process started. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundle } from '../../lib/bundle.ts'
import { connectorFolder } from '../../lib/handlers.ts'
import { runCommand } from '../support/platform/command.ts'

const root = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'callplane-image-'))
let context = ''

/** The instructions of the Dockerfile in their order, without comments. */
const instructions = readFileSync('connector/Dockerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => [line.split(' ', 1)[0] ?? '', line.replace(/^\S+ /, '')] as const)
const of = (name: string) => instructions.flatMap(([instruction, words]) => (instruction === name ? [words] : []))

beforeAll(async () => {
  context = connectorFolder(await bundle({ source: root, target: join(folder, 'build') }))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('the image runs nothing at its build, has a base of a public mirror with its version, and a user without rights', () => {
  const names = instructions.map(([name]) => name)

  expect(names).toEqual(['ARG', 'FROM', 'ENV', 'WORKDIR', 'COPY', 'VOLUME', 'USER', 'ENTRYPOINT'])
  expect(of('ARG')).toEqual([
    expect.stringMatching(/^BASE=public\.ecr\.aws\/docker\/library\/node:\d+\.\d+\.\d+-bookworm-slim$/),
  ])
  expect(of('FROM')).toEqual(['${BASE}'])
  expect(of('USER')).toEqual(['node'])
})

it('the process of the image starts from the copied files alone, and names the setting that it lacks', async () => {
  const [work = ''] = of('WORKDIR')
  const files = of('COPY').flatMap((words) => words.split(' ').slice(0, -1))
  const app = join(folder, 'root', work)
  mkdirSync(app, { recursive: true })
  for (const file of files) copyFileSync(join(context, file), join(app, basename(file)))
  const [program, ...args] = JSON.parse(of('ENTRYPOINT')[0] ?? '[]') as string[]

  const { status, output } = await runCommand(process.execPath, args, { cwd: app, env: { NODE_ENV: 'production' } })

  expect(program).toBe('node')
  expect(readdirSync(app)).toEqual(['main.mjs'])
  expect(output).toContain('ENGINE_URL is not set')
  expect(status).not.toBe(0)
})
