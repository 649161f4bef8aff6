import { expect, it } from 'vitest'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { startCommand } from '../../support/platform/command.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

const check = (env: Readonly<Record<string, string>>) =>
  startCommand(process.execPath, ['local/check-engine.ts'], {
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'], ...env },
  }).ended()

it('npm run engine:check ends with 1 and the lines to change when an engine lacks something', async () => {
  const engine = await startScriptedEngine()
  try {
    const { status, output } = await check({ ENGINE_URL: `esl://:planted@127.0.0.1:${engine.port}` })

    expect(status).toBe(1)
    expect(output).toContain(
      'mod_xml_curl is not loaded\n    in modules.xml (modules.conf.xml):\n    <load module="mod_xml_curl"/>',
    )
    expect(output).not.toContain('planted')
  } finally {
    await engine.close()
  }
})

it.each([
  ['ENGINE_URL is not set', {}],
  ['ENGINE_ACCOUNT must be <login>@<domain>', { ENGINE_URL: 'esl://:x@127.0.0.1:1', ENGINE_ACCOUNT: 'planted id@x;y' }],
])('npm run engine:check ends with 2 when a variable is wrong: %s', async (text, env) => {
  const { status, output } = await check(env)

  expect(status).toBe(2)
  expect(output).toContain(text)
  expect(output).not.toContain('planted')
})

it('npm run engine:check ends with 3 when an engine cannot be reached', async () => {
  const port = await freePort()

  const { status, output } = await check({ ENGINE_URL: `esl://:planted@127.0.0.1:${port}` })

  expect(status).toBe(3)
  expect(output.trim()).toBe(`127.0.0.1:${port}: cannot be checked (unreachable)`)
})

it('npm run engine:check says of several engines what each has for itself, and of one engine nothing', async () => {
  const engines = [await startScriptedEngine(), await startScriptedEngine()]
  const addresses = engines.map(({ port }) => `esl://:planted@127.0.0.1:${port}`)
  try {
    const [several, one] = [
      await check({ ENGINE_URL: addresses.join(',') }),
      await check({ ENGINE_URL: addresses[0] ?? '' }),
    ]

    expect(several.output).toContain(
      "2 engines: conferences, parking slots, queues and mailboxes are each engine's own",
    )
    expect(one.output).not.toContain('engines:')
  } finally {
    for (const engine of engines) await engine.close()
  }
})
