import { once } from 'node:events'
import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { run } from '../../../cli/program.ts'

const call = '5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'
const numbered = Array.from({ length: 60 }, (_, index) => ({
  sequence: index + 1,
  at: 1_795_217_667_212,
  name: index < 30 ? 'CHANNEL_ANSWER' : 'CHANNEL_HOLD',
  uuid: index === 2 ? call : '',
  event: { State: String(index + 1) },
}))

/** Runs `events` at a domain of 60 events, the first 30 of them answers, and returns the numbers that it prints. */
async function events(words: readonly string[], { isCollected = true, command = 'events' } = {}) {
  const ended = new AbortController()
  const asked: URLSearchParams[] = []
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'http://x')
    if (pathname === '/api/v2/whoami') return void response.end(JSON.stringify({ domain: 'd' }))
    if (pathname.endsWith('/types')) {
      const types = ['CHANNEL_ANSWER', 'CHANNEL_HOLD', 'DTMF'].map((event) => ({ event, schema: {} }))
      return void response.end(JSON.stringify({ status: 'OK', data: types }))
    }
    asked.push(query)
    const [since, name, id] = [Number(query.get('since')), query.get('name'), query.get('call')]
    const left = numbered.filter((each) => each.sequence > since && (name ?? each.name) === each.name)
    const page = left.filter((each) => (id ?? each.uuid) === each.uuid).slice(0, Number(query.get('limit')))
    if (words.includes('--follow') && since === 60) ended.abort()
    const data = {
      events: page,
      gaps: [],
      head: 60,
      next: page.at(-1)?.sequence ?? 60,
      more: page.length > 0,
      isCollected,
    }
    response.end(JSON.stringify({ status: 'OK', data }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  let [stdout, stderr] = ['', '']
  await run([command, ...words, '--no-color'], {
    stdin: new PassThrough(),
    stdout: { write: (text, done) => ((stdout += String(text)), done?.()) },
    stderr: { write: (text) => (stderr += String(text)) },
    env: {
      CALLPLANE_URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      CALLPLANE_TOKEN: 't',
    },
    platform: 'linux',
    home: '/nonexistent',
    signal: ended.signal,
  })
  await once(server.close(), 'close')
  return { asked, stderr, numbers: [...stdout.matchAll(/ (\d+)$/gm)].map(([, number]) => Number(number)) }
}

it('the latest events of a name are found however many others came after them', async () => {
  const { numbers, asked } = await events(['--name', 'CHANNEL_ANSWER', '--limit', '3'])

  expect(numbers).toEqual([28, 29, 30])
  expect(asked.every((query) => query.get('name') === 'CHANNEL_ANSWER')).toBe(true)
})

it('the events of a call are found by its id in any case', async () => {
  expect((await events(['--call', call.toUpperCase()])).numbers).toEqual([3])
})

it('of several names the latest events of each are found', async () => {
  const words = ['--name', 'CHANNEL_ANSWER', '--name', 'DTMF', '--limit', '2']

  expect((await events(words)).numbers).toEqual([29, 30])
})

it('without a choice the latest numbers are printed, and with a number all after it', async () => {
  expect((await events([])).numbers).toEqual(numbered.slice(-20).map(({ sequence }) => sequence))
  expect((await events(['--since', '30'])).numbers).toHaveLength(30)
  expect((await events(['--limit', '0'])).numbers).toEqual([])
})

it('following begins with the latest of the choice where that is wanted', async () => {
  expect((await events(['--follow', '--name', 'CHANNEL_ANSWER', '--limit', '2'])).numbers).toEqual([29, 30])
  expect((await events(['--follow', '--limit', '2'])).numbers).toEqual([59, 60])
})

it('a missing hook is named only where the domain has none', async () => {
  const words = ['--name', 'DTMF']

  expect((await events(words)).stderr).toBe('no event of this choice\n')
  expect((await events(words, { isCollected: false })).stderr).toContain('a domain without a hook has none')
})

it('an event that does not exist is refused where events are printed and where they are forwarded', async () => {
  const problem = 'no event is called CHANNEL_ANSWERED; see: callplane api listEventTypes'

  expect((await events(['--name', 'CHANNEL_ANSWERED'])).stderr).toContain(problem)
  const forwarded = await events(['http://127.0.0.1:9/', '--event', 'CHANNEL_ANSWERED'], { command: 'listen' })
  expect([forwarded.stderr, forwarded.asked]).toEqual([expect.stringContaining(problem), []])
})
