import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { startDynamo } from '../../../packages/laptop/stores/dynamodb.ts'

const folder = mkdtempSync(join(tmpdir(), 'silent-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A program of this Node that prints its process id, and then does what its source says with `port`. */
function aProgram(source: (port: number) => string) {
  const words = (port: number) => ['-e', `console.log(process.pid); ${source(port)}`]
  return { command: process.execPath, words, data: '/data/of-the-store' }
}

const listening = (port: number) => `require('node:net').createServer(() => {}).listen(${port}, '127.0.0.1')`

it.each([
  ['listens nowhere', () => 'setInterval(() => {}, 1000)'],
  ['accepts connections and never answers', listening],
])('a start gives up a store whose program %s, says so, and ends the program', async (_how, source) => {
  const log = join(folder, 'silent.log')
  rmSync(log, { force: true })
  const patience = new AbortController()
  const started = startDynamo(aProgram(source), log, patience.signal).catch((problem: unknown) => problem)
  const pid = () => Number(readFileSync(log, 'utf8').trim())
  await expect.poll(pid, { timeout: 20_000, interval: 50 }).toBeGreaterThan(0)

  patience.abort()

  await expect(started).resolves.toMatchObject({
    message: `the store in /data/of-the-store does not answer: its program was stopped; see ${log}`,
  })
  expect(() => process.kill(pid(), 0)).toThrow('ESRCH')
})

it('a start whose time limit is already over does not wait for its store', async () => {
  const silent = aProgram(() => 'setInterval(() => {}, 1000)')

  const started = startDynamo(silent, join(folder, 'late.log'), AbortSignal.abort())

  await expect(started).rejects.toThrow('does not answer')
})

it('a store whose program exits is reported as damaged', async () => {
  const ending = aProgram(() => 'process.exit(1)')

  const started = startDynamo(ending, join(folder, 'ended.log'), new AbortController().signal)

  await expect(started).rejects.toThrow(
    'the store in /data/of-the-store cannot be opened: it may be damaged, or its disk full',
  )
})

it('a store whose program is killed is started again and answers at the same address', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const answers = (port: number) =>
    `require('node:http').createServer((_, response) => response.end('{}')).listen(${port}, '127.0.0.1')`
  const log = join(folder, 'killed.log')
  const store = await startDynamo(aProgram(answers), log)
  const pids = () => readFileSync(log, 'utf8').trim().split('\n').map(Number)
  const call = { action: 'ListTables', target: 'DynamoDB_20120810.ListTables', contentType: 'application/json' }
  const ask = () => store.backend({ ...call, body: Buffer.from('{}'), input: {} })

  process.kill(pids()[0] ?? Number.NaN, 'SIGKILL')
  await expect.poll(() => pids().length, { timeout: 20_000, interval: 50 }).toBe(2)

  const { status } = await vi.waitUntil(() => ask().catch(() => undefined), { timeout: 20_000, interval: 50 })
  expect(status).toBe(200)
  await store.close()
  vi.restoreAllMocks()
})
