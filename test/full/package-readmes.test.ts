/** The programs in the READMEs of `packages/simulated-freeswitch` and `packages/esl`, run against each other. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type RunningCommand, startCommand } from '../support/platform/command.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'package-readmes-'))
symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the program of a package's README, with another port in it. */
function start(name: string, port: number): RunningCommand {
  const [, program = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync(`packages/${name}/README.md`, 'utf8')) ?? []
  writeFileSync(join(folder, `${name}.ts`), program.replace('8021', String(port)))
  const running = startCommand(process.execPath, [`${name}.ts`], { cwd: folder })
  onTestFinished(async () => {
    running.interrupt()
    await running.ended()
  })
  return running
}

it('the client of the README finds the engine of the README once it is there, and gets its status', async () => {
  const port = await freePort()
  const client = start('esl', port)
  await client.printed(/down: unreachable, again in \d/)

  const engine = start('simulated-freeswitch', port)

  expect(await engine.printed(/^[0-9a-f-]{36}$/m)).toBeDefined()
  expect(await client.printed(/^UP 0 years/m)).toBeDefined()
})
