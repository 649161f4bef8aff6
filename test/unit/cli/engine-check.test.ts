import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CliUser, aCliUser } from '../../support/cli/cli.ts'
import { runEngineCheck } from '../../../cli/engine/run-engine-check.ts'
import type { Output } from '../../../cli/output/output.ts'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

let user: CliUser

beforeEach(() => {
  user = aCliUser()
})
afterEach(() => user.remove())

const check = (env: Readonly<Record<string, string>>, ...words: string[]) =>
  user.run(['engine', 'check', ...words], { env })

it('callplane engine check prints the lines to change, and ends with 1', async () => {
  const engine = await startScriptedEngine()
  try {
    const { status, stdout, stderr } = await check({ ENGINE_URL: `esl://:planted@127.0.0.1:${engine.port}` })

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'error: an engine needs changes: have the lines above instead\n',
    })
    expect(stdout).toContain(`127.0.0.1:${engine.port}: `)
    expect(stdout).toContain(
      'mod_xml_curl is not loaded\n    in modules.xml (modules.conf.xml):\n    <load module="mod_xml_curl"/>',
    )
    expect(stdout + stderr).not.toContain('planted')
  } finally {
    await engine.close()
  }
})

it('callplane engine check --json prints the findings of each engine, and those of one that is away as an error', async () => {
  const engine = await startScriptedEngine()
  const port = await freePort()
  try {
    const env = { ENGINE_URL: `esl://127.0.0.1:${engine.port},esl://127.0.0.1:${port}`, ENGINE_PASSWORD: 'planted' }
    const { status, stdout, stderr } = await check(env, '--json')

    expect(status).toBe(4)
    expect(JSON.parse(stdout)).toEqual([
      {
        engine: `127.0.0.1:${engine.port}`,
        findings: expect.arrayContaining([
          {
            file: 'modules.xml (modules.conf.xml)',
            problem: 'mod_xml_curl is not loaded',
            line: '<load module="mod_xml_curl"/>',
          },
        ]),
      },
      { engine: `127.0.0.1:${port}`, error: 'cannot be checked (unreachable)' },
    ])
    expect(JSON.parse(stderr).error.message).toBe(`127.0.0.1:${port}: cannot be checked (unreachable)`)
  } finally {
    await engine.close()
  }
})

it.each([
  ['ENGINE_URL is not set: it must be esl://host:port, or several of them, comma-separated', {}, []],
  ['ENGINE_ACCOUNT must be <login>@<domain>', { ENGINE_URL: 'esl://:x@127.0.0.1:1' }, ['--account', 'planted']],
])('callplane engine check ends with 2 when what it is given is wrong: %s', async (text, env, words) => {
  const { status, stdout, stderr } = await check(env, ...words)

  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `error: ${text}\n` })
})

it('a check that cannot be started is a failure with its reason, and no finding', async () => {
  const env = { ...process.env, NODE_OPTIONS: '--import=./there-is-no-such-module.mjs' }
  const printed: string[] = []
  const out = { isJson: false, raw: (text: unknown) => printed.push(String(text)) } as unknown as Output

  const end = await runEngineCheck({ env, signal: new AbortController().signal }, out, undefined)

  expect(end).toMatchObject({ status: 'failed', problem: expect.stringContaining('there-is-no-such-module') })
  expect(printed).toEqual([])
})
