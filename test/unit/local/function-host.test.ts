import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { LambdaFunction } from '../../../packages/laptop/assembly/assembly.ts'
import { FunctionHost } from '../../../packages/laptop/functions/function-host.ts'
import { FunctionHosts } from '../../../packages/laptop/functions/function-hosts.ts'

const root = mkdtempSync(join(tmpdir(), 'functions-'))

function aFunction(name: string, code: string, more: Partial<LambdaFunction> = {}): LambdaFunction {
  const directory = join(root, name)
  mkdirSync(directory)
  writeFileSync(join(directory, 'index.cjs'), transformSync(code, { format: 'cjs' }).code)
  return {
    name,
    arn: `arn:${name}`,
    roleArn: `arn:role/${name}`,
    directory,
    handler: 'index.handler',
    environment: { NAME: name },
    timeoutSeconds: 10,
    memoryMb: 512,
    ...more,
  }
}

/** Reads its environment when it is loaded, when it is called, and after it waited. */
const readsEnvironment = `
import { setTimeout as delay } from 'node:timers/promises'
const atLoad = process.env.NAME
export const handler = async () => {
  const before = process.env.NAME
  await delay(5)
  return { atLoad, before, after: process.env.NAME, all: Object.keys(process.env), path: 'PATH' in process.env }
}`

/** Counts how often its module was loaded and how many of its calls run together; each waits until thirty have come. */
const countsLoads = `
globalThis.loads = (globalThis.loads ?? 0) + 1
const arrived = []
export const handler = async () => {
  await new Promise((resolve) => {
    arrived.push(resolve)
    if (arrived.length === 30) for (const go of arrived) go()
  })
  return { loads: globalThis.loads, together: arrived.length }
}`

/** Takes 4 MB of heap; a second call returns how often the module was loaded. */
const isLarge = `
const name = process.env.NAME
globalThis.loadsOf ??= {}
globalThis.loadsOf[name] = (globalThis.loadsOf[name] ?? 0) + 1
const ballast = Array(500_000).fill(0.5)
export const handler = async () => ({ loads: globalThis.loadsOf[name], length: ballast.length })`

/** Works until its second call releases the first; both tell how often the module was loaded. */
const worksOn = `
globalThis.loadsOfWork = (globalThis.loadsOfWork ?? 0) + 1
let release
export const handler = async (event) => {
  if (event.last) release()
  else await new Promise((resolve) => { release = resolve })
  return globalThis.loadsOfWork
}`

/** Sends one request, whose failure does not matter: nothing listens there. */
const sends = `
import { request } from 'node:http'
export const handler = async ({ target, receiver }) => {
  if (receiver) return fetch('http://127.0.0.1:2').catch(() => 'sent')
  const headers = target === undefined ? {} : { 'x-amz-target': target }
  await new Promise((resolve) => request({ host: '127.0.0.1', port: 2, headers }).on('error', resolve).end())
  return 'sent'
}`

let host: FunctionHost

beforeAll(() => {
  host = new FunctionHost(
    [
      aFunction('first', readsEnvironment),
      aFunction('second', readsEnvironment),
      aFunction('counts', countsLoads),
      aFunction(
        'context',
        'export const handler = (event, c) => ({ ...c, event, left: c.getRemainingTimeInMillis() })',
      ),
      aFunction('throws', 'export const handler = async () => { throw new TypeError("bad day") }'),
      aFunction('nothing', 'export const handler = async () => {}'),
      aFunction('date', 'export const handler = async () => ({ at: new Date(0), gone: undefined })'),
      aFunction('hangs', 'export const handler = () => new Promise(() => {})', { timeoutSeconds: 0.05 }),
      aFunction('spins', 'export const handler = () => { for (;;); }', { timeoutSeconds: 1 }),
      aFunction('ends-later', 'export const handler = () => new Promise(() => {})', { timeoutSeconds: 2 }),
      aFunction('exits', 'export const handler = () => process.exit(3)'),
      aFunction('waits', 'export const handler = () => new Promise(() => {})'),
      aFunction('empty', 'export const other = 1'),
      aFunction('works-on', worksOn),
      aFunction('sends', sends),
      aFunction(
        'answers',
        'export const handler = ({ text, count }) => ({ statusCode: 200, body: text.repeat(count) })',
      ),
      ...Array.from({ length: 100 }, (_, index) => aFunction(`large-${index}`, isLarge)),
      aFunction('sets', 'export const handler = async () => { process.env.NAME = 7; return process.env.NAME }'),
    ],
    { environmentOf: ({ environment }) => environment, log: new PassThrough().resume() },
  )
})

afterAll(async () => {
  await host.close()
  rmSync(root, { recursive: true })
})

describe('functions in one thread', () => {
  it('functions in one thread see only their own environment, even while they run together', async () => {
    const [first, second] = await Promise.all([host.invoke('first', {}), host.invoke('second', {})])

    const seen = (name: string) => ({ atLoad: name, before: name, after: name, all: ['NAME'], path: false })
    expect(first).toEqual(seen('first'))
    expect(second).toEqual(seen('second'))
  })

  it.each([
    ['plain text', 'x', 6_291_528],
    ['quotes, which the answer escapes', '"', 3_145_764],
    ['characters of three bytes', '日', 2_097_176],
  ])(
    'a function answers as much as Lambda takes, and one character more is a failure: %s',
    async (_name, text, count) => {
      const longest = await host.invoke('answers', { text, count })

      expect(Buffer.byteLength(JSON.stringify(longest))).toBe(6 * 1024 * 1024 + 100)
      await expect(host.invoke('answers', { text, count: count + 1 })).rejects.toMatchObject({
        reason: 'error',
        message: expect.stringContaining('6 MB'),
      })
    },
  )

  it('functions change no environment but their own, which contains text', async () => {
    expect(await host.invoke('sets', {})).toBe('7')
    expect(await host.invoke('first', {})).toMatchObject({ before: 'first' })
  })

  it('functions in one thread are loaded once, however many of their calls run at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => host.invoke('counts', {})))

    expect(results).toEqual(Array.from({ length: 30 }, () => ({ loads: 1, together: 30 })))
  })
})

it('idle functions are unloaded, the least recently used first, so that many large ones fit into one thread', async () => {
  const working = host.invoke('works-on', {})
  const loads: unknown[] = []
  for (let index = 0; index < 100; index += 1) loads.push(await host.invoke(`large-${index}`, {}))

  expect(loads).toEqual(Array.from({ length: 100 }, () => ({ loads: 1, length: 500_000 })))
  expect(await host.invoke('large-99', {})).toMatchObject({ loads: 1 })
  expect(await host.invoke('large-0', {})).toMatchObject({ loads: 2 })
  expect(await host.invoke('works-on', { last: true })).toBe(1)
  expect(await working).toBe(1)
})

describe('a call', () => {
  it('a function call has the context that Lambda gives', async () => {
    expect(await host.invoke('context', { a: 1 })).toMatchObject({
      event: { a: 1 },
      functionName: 'context',
      invokedFunctionArn: 'arn:context',
      memoryLimitInMB: '512',
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      left: expect.any(Number),
    })
  })

  it('a function call returns what JSON can express', async () => {
    expect(await host.invoke('date', {})).toEqual({ at: '1970-01-01T00:00:00.000Z' })
    expect(await host.invoke('nothing', {})).toBeNull()
  })

  it('a function call fails with the error of the function', async () => {
    await expect(host.invoke('throws', {})).rejects.toMatchObject({ reason: 'error', message: 'TypeError: bad day' })
  })

  it('a function call fails when the module exports no such function', async () => {
    await expect(host.invoke('empty', {})).rejects.toMatchObject({ reason: 'error' })
  })

  it('a function call fails when its time is over', async () => {
    await expect(host.invoke('hangs', {})).rejects.toMatchObject({
      reason: 'timeout',
      message: 'Task timed out after 0.05 seconds',
    })
  })

  it('a function call fails when its thread dies, and the next one finds a new thread', async () => {
    const waiting = host.invoke('waits', {})
    const outcomes = await Promise.allSettled([waiting, host.invoke('exits', {})])

    expect(outcomes).toMatchObject([{ reason: { reason: 'crash' } }, { reason: { reason: 'crash' } }])
    expect(await host.invoke('first', {})).toMatchObject({ before: 'first' })
  })

  it('a thread in an endless loop is replaced, and its unread messages do not end the new one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const late = Promise.allSettled([host.invoke('spins', {}), host.invoke('ends-later', {})])
      const lost = host.invoke('waits', {})
      vi.advanceTimersByTime(4000)
      expect(await late).toMatchObject([{ reason: { reason: 'timeout' } }, { reason: { reason: 'timeout' } }])
      await expect(lost).rejects.toMatchObject({ reason: 'crash' })

      const working = host.invoke('works-on', {})
      vi.advanceTimersByTime(2000)

      await expect(host.invoke('works-on', { last: true })).resolves.toBe(1)
      await expect(working).resolves.toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })
})

it('an error names the bundle whose file is missing', () => {
  const definition = { ...aFunction('missing', ''), handler: 'other.handler' }

  expect(() => new FunctionHost([definition], { environmentOf: () => ({}), log: new PassThrough() })).toThrow('missing')
})

describe('a host of functions that is closed', () => {
  it('a closed host of functions fails calls at once and runs nothing', async () => {
    const closed = new FunctionHost([aFunction('late', 'export const handler = async () => 1')], {
      environmentOf: ({ environment }) => environment,
      log: new PassThrough().resume(),
    })
    const closing = closed.close()
    const during = closed.invoke('late', {})

    await expect(during).rejects.toThrow('the platform is stopping')
    await closing
    await expect(closed.invoke('late', {})).rejects.toThrow('the platform is stopping')
  })
})

describe('the threads of functions', () => {
  it('a lookup is answered while another function keeps its own thread busy', async () => {
    const busy = aFunction('busy', 'export const handler = () => { for (;;); }')
    const lookup = aFunction('lookup', 'export const handler = async () => "found"')
    const hosts = new FunctionHosts([busy, lookup], new Set([lookup.arn]), {
      environmentOf: ({ environment }) => environment,
      log: new PassThrough().resume(),
    })
    const cut = expect(hosts.invoke('busy', {})).rejects.toMatchObject({ reason: 'crash' })

    expect(await hosts.invoke('lookup', {})).toBe('found')

    await hosts.close()
    await cut
  })
})
