/**
 * The image of the connector: its Dockerfile is judged, its file system assembled, its process started, and it is built
 * where a builder is at hand.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { bundle } from '../../lib/bundle.ts'
import { connectorImage } from '../../lib/constructs/connector-image.ts'
import { connectorFolder } from '../../lib/handlers.ts'
import { canBuildImages, makeNodeBase, openImages } from '../support/images/buildah.ts'
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

it("the connector's image runs nothing in its build, has a public base image with a version, and an unprivileged user", () => {
  const names = instructions.map(([name]) => name)

  expect(names).toEqual(['ARG', 'FROM', 'ENV', 'WORKDIR', 'COPY', 'VOLUME', 'USER', 'ENTRYPOINT'])
  expect(of('ARG')).toEqual([expect.stringMatching(/^BASE=public\.ecr\.aws\/docker\/library\/node:24-bookworm-slim$/)])
  expect(of('FROM')).toEqual(['${BASE}'])
  expect(of('USER')).toEqual(['node'])
})

it('the process of the image starts from the copied files alone, and names a missing setting', async () => {
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

const assets = z.object({
  dockerImages: z.record(
    z.string(),
    z.object({ source: z.object({ directory: z.string(), dockerBuildArgs: z.record(z.string(), z.string()) }) }),
  ),
})

/** The folder and the arguments that a deployment gives to its builder, with a digest as `connectorBaseDigest`. */
function builtWith(connectorBaseDigest: string) {
  const app = new App({ outdir: join(folder, 'app') })
  const stack = new Stack(app, 'Image')
  const image = connectorImage(stack, context, { connectorImage: '', connectorBaseDigest })
  new FargateTaskDefinition(stack, 'Task').addContainer('Connector', { image })
  const { directory } = app.synth()
  const manifest = assets.parse(JSON.parse(readFileSync(join(directory, 'Image.assets.json'), 'utf8')))
  const [source] = Object.values(manifest.dockerImages).map((asset) => asset.source)
  return { directory: join(directory, source?.directory ?? ''), arguments: source?.dockerBuildArgs ?? {} }
}

it.skipIf(!canBuildImages('the image of the connector is not built'))(
  'a builder makes the image on the base of the setting, and its container runs the connector as a user without rights',
  async () => {
    const images = openImages()
    try {
      const [base = ''] = of('ARG').map((words) => words.replace('BASE=', ''))
      const digest = await makeNodeBase(images, base)
      const source = builtWith(digest)
      const words = Object.entries(source.arguments).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
      await images.run('bud', '--pull-never', ...words, '--tag', 'localhost/connector', source.directory)

      const container = await images.run('from', '--pull-never', 'localhost/connector')
      const [program = '', ...args] = JSON.parse(of('ENTRYPOINT')[0] ?? '[]') as string[]
      const inside = 'console.log(process.getuid(), process.cwd(), process.env.NODE_ENV, fs.readdirSync(".").join())'
      const view = await images.run('run', container, '--', 'node', '-e', inside)
      const started = await images.tryToRun('run', container, '--', program, ...args)

      expect(source.arguments).toEqual({ BASE: `${base}@${digest}` })
      expect(view).toBe('1000 /app production main.mjs')
      expect(started.output).toContain('ENGINE_URL is not set')
      expect(started.status).not.toBe(0)
    } finally {
      images.close()
    }
  },
)
