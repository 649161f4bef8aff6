import { once } from 'node:events'
import { createServer } from 'node:net'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../client/index.ts'
import { clientOf } from '../support/platform/checked-client.ts'
import { openReceiver } from '../../local/demo/receiver.ts'
import { openEngineSocket } from '../support/engine/engine-socket.ts'
import type { RunningCommand } from '../support/platform/command.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
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
    expect(output).toMatch(/^ {2}callplane call 9196 --from 1001/m)
    expect(output.match(/^ {2}(?:address|reference|manual|profile|stop) +\S/gm)).toHaveLength(5)
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

describe('a process of the platform', () => {
  /** Invariant I8 of the faults: a minute after a fault all is as before. */
  const within = { timeout: 60_000, interval: 250 }

  const pidOf = (word: string) =>
    Number(
      processesOfState().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)) ??
        expect.fail(`no process ${word}`),
    )

  const isStopped = (pid: number) => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

  /** Starts a platform, and signs in as the demo's admin, with a list of what was acknowledged. */
  async function startWithAdmin() {
    const platform = await start()
    await platform.printed(/npm run demo/)
    const [, url = ''] = await platform.printed(/is up on (http:\S+)/)
    const [, password = ''] = await platform.printed(/1000@demo\.example\.com {3}(\w{24})/)
    const [, port] = await platform.printed(/event socket on port (\d+)/)
    const token = await clientOf(url).call('logIn', { body: { username: '1000@demo.example.com', password } })
    return { platform, admin: clientOf(url, token), enginePort: Number(port) }
  }

  let last = 4_930_000
  /** Adds a number as soon as the platform takes it; what was acknowledged is in the list afterwards. */
  async function write(admin: Client): Promise<string> {
    last += 1
    const params = { blacklist_name: 'kept' }
    await admin.call('addBlacklistNumber', { params, body: { number: String(last) } })
    return String(last)
  }

  it('a process of the platform that is killed or stopped is back within a minute, and nothing acknowledged is lost', async () => {
    const { platform, admin, enginePort } = await startWithAdmin()
    const [engine, receiver] = [await openEngineSocket(enginePort), await openReceiver()]
    const event = 'CUSTOM->engine::back'
    await admin.call('createHooks', { body: { event, action: { type: 'web', method: 'POST', url: receiver.url } } })
    const acknowledged = [await write(admin)]
    for (const [word, signal] of [
      ['dynamodb.sqlite', 'SIGKILL'],
      ['dynamodb.sqlite', 'SIGSTOP'],
      ['main.mjs', 'SIGKILL'],
      ['main.mjs', 'SIGSTOP'],
      ['send-recordings', 'SIGKILL'],
      ['send-recordings', 'SIGSTOP'],
      ['local/main.ts', 'SIGSTOP'],
    ] as const) {
      const pid = pidOf(word)

      process.kill(pid, signal)

      await vi.waitFor(
        () => expect([pidOf(word) === pid, isStopped(pidOf(word))]).toEqual([signal === 'SIGSTOP', false]),
        within,
      )
      acknowledged.push(await vi.waitFor(() => write(admin), within))
      await vi.waitFor(() => admin.call('originateCall', { body: { callerId: '1001', calledId: '9196' } }), within)
      const sending = setInterval(() => engine.sendEvent('engine::back', 'demo.example.com'), 1_000)
      await vi.waitFor(() => receiver.next(event), within).finally(() => clearInterval(sending))
    }
    const entries = await admin.call('readBlacklist', { params: { blacklist_name: 'kept' }, query: { limit: 1000 } })

    expect(entries.map((entry) => entry.number)).toEqual(expect.arrayContaining(acknowledged))
    expect(platform.output()).toMatch(/^the store ended \(SIGKILL\) and starts again in 250 ms$/m)
    await Promise.all([engine.close(), receiver.close()])
  })

  it('a platform whose main process is killed ends with a sentence, and the next start finds what was acknowledged', async () => {
    const { platform, admin } = await startWithAdmin()
    const number = await write(admin)

    process.kill(pidOf('local/main.ts'), 'SIGKILL')
    const { status, output } = await platform.ended()
    await allGone()
    const next = await start()
    await next.printed(/npm run demo/)
    const [, url = ''] = await next.printed(/is up on (http:\S+)/)
    const accounts: unknown = JSON.parse(readFileSync(join(state.path, 'demo-accounts.json'), 'utf8'))
    const password = Object.entries(accounts ?? {}).find(([user]) => user === '1000@demo.example.com')?.[1]
    const token = await clientOf(url).call('logIn', { body: { username: '1000@demo.example.com', password } })
    const entries = await clientOf(url, token).call('readBlacklist', { params: { blacklist_name: 'kept' } })

    expect([status, entries.map((entry) => entry.number)]).toEqual([137, [number]])
    expect(output).toMatch(/^callplane: the platform was ended \(SIGKILL\): npm start starts it again$/m)
  })

  it('a platform whose store is killed again and again ends with a sentence that names its log', async () => {
    const { platform } = await startWithAdmin()
    const killing = setInterval(() => {
      const pid = processesOfState().find((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('--db-path'))
      if (pid !== undefined) process.kill(Number(pid), 'SIGKILL')
    }, 100)

    const { status, output } = await platform.ended().finally(() => clearInterval(killing))

    expect(status).toBe(1)
    expect(output).toMatch(/^callplane: the store ended 10 times within a minute \(SIGKILL\): see \S+dynamodb\.log$/m)
  })
})

describe('a data folder that lost a part ends the start with one plain sentence:', () => {
  it.each([
    ['the store', 'dynamodb.sqlite', undefined],
    ['the key of what is encrypted', 'sealing-key', undefined],
    ['the content of a kept secret', 'cursor-key', ''],
  ])('%s', async (_part, name, content) => {
    const first = await start()
    await first.printed(/npm run demo/)
    first.child.kill('SIGTERM')
    await first.ended()
    rmSync(join(state.path, name))
    if (content !== undefined) writeFileSync(join(state.path, name), content)

    const { status, output } = await (await start()).ended()

    expect(status).toBe(1)
    expect(output).toMatch(new RegExp(`^callplane: \\S+/${name} is (?:missing or )?empty .*: restore it`, 'm'))
  })
})
