import { once } from 'node:events'
import { createServer } from 'node:net'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunningCommand } from '../support/platform/command.ts'
import { freePort } from '../support/processes/free-port.ts'
import { rawRequest } from '../support/processes/raw-request.ts'
import { runStart, temporaryState } from '../support/platform/start-command.ts'

let state: ReturnType<typeof temporaryState>
let running: RunningCommand[]

beforeEach(() => {
  state = temporaryState()
  running = []
})

afterEach(async () => {
  for (const command of running) {
    command.child.kill('SIGKILL')
    await command.ended()
  }
  state.remove()
})

async function start(variables: Record<string, string> = {}): Promise<RunningCommand> {
  const command = await runStart({ DATA_DIR: state.path, ...variables })
  running.push(command)
  return command
}

/** The lock files of the state. */
const locks = () => readdirSync(state.path).filter((name) => name.endsWith('lock'))

/** Every process that works on the state, by its command line or its working directory. */
function processesOfState(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(state.path)
    } catch {
      return false
    }
  })
}

/** Settles when no process works on the state any more; the test's own time limit ends the wait. */
async function allGone(): Promise<void> {
  while (processesOfState().length > 0) await new Promise((resolve) => setImmediate(resolve))
}

describe('a start', () => {
  it('the platform prints address, accounts and commands, and leaves no process or file when it ends', async () => {
    const platform = await start()
    await platform.printed(/npm run demo/)
    const [, url = ''] = await platform.printed(/is up on (http:\S+)/)
    const health = await rawRequest(url, { method: 'GET', path: '/health' })

    platform.child.kill('SIGINT')
    const { status, output } = await platform.ended()

    expect([health.status, status]).toEqual([200, 0])
    expect(output).toMatch(/1000@demo\.example\.com {3}\w{24}/)
    expect(output.match(/^(LOGIN=\$\()?curl /gm)).toHaveLength(3)
    await allGone()
    expect(locks()).toEqual([])
  })

  it('a start finds its data again, and shows the root password no second time', async () => {
    const first = await start()
    const [, password] = await first.printed(/1000@demo\.example\.com {3}(\w{24})/)
    const [, root = ''] = await first.printed(/root {3}(\w{24})/)
    first.child.kill('SIGTERM')
    await first.ended()

    const second = await start()
    await second.printed(/npm run demo/)
    const [, url = ''] = await second.printed(/is up on (http:\S+)/)
    const login = await rawRequest(url, {
      method: 'POST',
      path: '/login',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: '1000@demo.example.com', password }),
    })

    expect(login.status).toBe(200)
    expect(second.output()).not.toContain(root)
  })

  it('a start takes over the data of a killed platform, and none of its processes is left', async () => {
    const killed = await start()
    await killed.printed(/npm run demo/)
    killed.child.kill('SIGKILL')
    await killed.ended()
    await allGone()

    const next = await start()

    await next.printed(/npm run demo/)
  })
})

it('a start without its engine continues, says that the engine is offline, and answers 503 for its health', async () => {
  const port = await freePort()

  const platform = await start({ ENGINE_URL: `esl://:secret@127.0.0.1:${port}` })

  await platform.printed(new RegExp(`^engine 127\\.0\\.0\\.1:${port} is offline \\(engine unreachable\\)`, 'm'))
  const [, url = ''] = await platform.printed(/is up on (http:\S+)/)
  expect((await rawRequest(url, { method: 'GET', path: '/health' })).status).toBe(503)
})

describe('one plain sentence and a failure are the answer to', () => {
  const refused = async (platform: RunningCommand, sentence: RegExp) => {
    const { status, output } = await platform.ended()
    expect(status).toBe(1)
    expect(output).toMatch(sentence)
    expect(output).not.toMatch(/^\s+at /m)
    await allGone()
    expect(locks()).toEqual([])
  }

  it.each(['PORT', 'ENGINE_PORT'])('%s at a port that is in use', async (name) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? String(address.port) : ''

    await refused(
      await start({ [name]: port }),
      new RegExp(`^callplane: port ${port} on 127\\.0\\.0\\.1 is in use`, 'm'),
    )
    server.close()
  })

  it('a start with a file in place of its state folder fails with one plain sentence', async () => {
    const file = join(state.path, 'file')
    writeFileSync(file, '')

    await refused(await start({ DATA_DIR: file }), /^callplane: DATA_DIR .* is not a folder/m)
  })

  it('a start with a damaged store fails with one plain sentence', async () => {
    writeFileSync(join(state.path, 'dynamodb.sqlite'), 'damaged '.repeat(1000))

    await refused(await start(), /^callplane: the store in .* cannot be opened/m)
  })

  it('a start with an engine that refuses the password fails with one plain sentence', async () => {
    const other = await start()
    const [, port] = await other.printed(/event socket on port (\d+)/)
    const mine = temporaryState()
    const refusedStart = await start({ DATA_DIR: mine.path, ENGINE_URL: `esl://:wrong@127.0.0.1:${port}` })

    const { status, output } = await refusedStart.ended()

    expect(status).toBe(1)
    expect(output).toMatch(/^callplane: the engine at 127\.0\.0\.1:\d+ refuses the password of ENGINE_URL$/m)
    mine.remove()
  })

  it('a second start on the same state folder fails with one plain sentence', async () => {
    const first = await start()
    await first.printed(/npm run demo/)

    const second = await start()
    const { status, output } = await second.ended()

    expect(status).toBe(1)
    expect(output).toMatch(/^callplane: another npm start \(process \d+\) uses this DATA_DIR/m)
    expect(locks()).toEqual(['0000000001.lock'])
  })
})
