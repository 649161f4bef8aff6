/** The command line on a terminal of any width, in front of a platform that answers by rote. */
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { vi } from 'vitest'
import type { OperationId } from '../../../client/index.ts'
import { operations } from '../../../client/operations.ts'
import { run } from '../../../cli/program.ts'

/** An answer: a body, or a status above 299 with the body of an error. */
interface Rote {
  readonly status?: number
  readonly body: object
}

/** Answers by operation; several are given one after another. Others are those of the API description's examples. */
export type Rotes = Partial<Readonly<Record<OperationId, object | readonly Rote[]>>>

/** A command as a person sees it: everything that it wrote, in order. */
interface Screen {
  readonly exitCode: number
  readonly text: string
}

const recorded: { readonly operations: Readonly<Record<string, { readonly answer?: object }>> } = JSON.parse(
  readFileSync('contracts/openapi/examples.json', 'utf8'),
)

const known = Object.entries(operations).map(([name, { method, path }]) => {
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return { name, method, pattern, parameters: path.split('{').length }
})

/** Runs a command line at noon of 15 January 2026, an hour ahead of UTC, signed in as an admin of example.com. */
export async function screen(
  words: readonly string[],
  { columns, colours, rotes }: { readonly columns: number; readonly colours: boolean; readonly rotes: Rotes },
): Promise<Screen> {
  vi.useFakeTimers({ toFake: ['Date'], now })
  const asked = new Map<string, number>()
  vi.stubGlobal('fetch', async (url: string, { method = 'GET' }: RequestInit = {}) => {
    const { pathname } = new URL(url)
    const fitting = known.filter((each) => each.method === method && each.pattern.test(pathname))
    const { name = '' } = fitting.sort((one, other) => one.parameters - other.parameters)[0] ?? {}
    const count = asked.get(name) ?? 0
    asked.set(name, count + 1)
    const given = rotes[name as OperationId] ?? recorded.operations[name]?.answer ?? {}
    const all: readonly Rote[] = Array.isArray(given) && given.every(isRote) ? given : [{ body: given }]
    const { status = 200, body } = all[Math.min(count, all.length - 1)] ?? { body: {} }
    return new Response(JSON.stringify(body), { status, headers: { date: new Date().toUTCString() } })
  })
  let text = ''
  const write = (part: string | Uint8Array) => (text += String(part))
  const stream = { isTTY: true, columns, write }
  const exitCode = await run(words, {
    stdin: new PassThrough(),
    stdout: stream,
    stderr: { ...stream },
    env: {
      CALLPLANE_URL: 'http://127.0.0.1:8080',
      CALLPLANE_TOKEN: 't0ken',
      ...(colours ? {} : { NO_COLOR: '1' }),
    },
    platform: 'linux',
    home: '/nonexistent',
    clock: { now: () => now, aheadOfUtc: () => 3_600_000 },
    signal: new AbortController().signal,
  })
  vi.unstubAllGlobals()
  vi.useRealTimers()
  // A line of progress is gone when the next text comes.
  const erased = '\r\u001b[2K'
  const lasting = text.split('\n').map((line) => line.split(erased).at(-1) ?? '')
  return { exitCode, text: lasting.join('\n').replaceAll(/(?<= after )[\d.]+ s/g, '0.2 s') }
}

/** Noon of 15 January 2026. */
const now = Date.UTC(2026, 0, 15, 12)

function isRote(value: unknown): value is Rote {
  return typeof value === 'object' && value !== null && 'body' in value
}
