import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod/mini'
import { openEngine } from '../engine-socket.ts'

/** The events of a call, and how long after its beginning each is sent. */
export const callEvents = [
  { name: 'CHANNEL_CREATE', afterMs: 0 },
  { name: 'CHANNEL_ANSWER', afterMs: 100 },
  { name: 'CHANNEL_HANGUP_COMPLETE', afterMs: 400 },
] as const

/** Headers that the engine itself writes, also into an event that is sent to it. */
const enginesOwn = /^(?:Event-|Core-UUID|FreeSWITCH-)/

const file = new URL('../../test/fixtures/freeswitch/bench/stream-json.out.gz', import.meta.url)

/** A recorded event as the lines of a `sendevent`, with `{uuid}` and `{domain}` where those are. */
function templateOf(recording: string, name: string): string {
  const marks = [...recording.matchAll(/Content-Length: (\d+)\nContent-Type: text\/event-json\n\n/g)]
  const bodies = marks.map((mark) => recording.slice(mark.index + mark[0].length).slice(0, Number(mark[1])))
  const isIt = (body: string) => body.includes(`"Event-Name":"${name}"`) && body.includes('tenant1.example.com')
  const found = bodies.filter(isIt).toSorted((one, other) => one.length - other.length)
  const body = found[Math.floor(found.length / 2)]
  if (body === undefined) throw new Error(`no ${name} in the recording`)
  const headers = z.parse(z.record(z.string(), z.unknown()), JSON.parse(body))
  const uuid = String(headers['Unique-ID'])
  const lines = Object.entries(headers)
    .filter(([header, value]) => !enginesOwn.test(header) && typeof value === 'string' && !/[\r\n]/.test(value))
    .map(([header, value]) => `${header}: ${String(value)}`)
  return lines.join('\n').replaceAll(uuid, '{uuid}').replaceAll('tenant1.example.com', '{domain}')
}

/** An event socket that plays calls: recorded events, each call with a uuid of its own. */
export class CallPlayer {
  readonly #socket: Socket
  readonly #templates: ReadonlyMap<string, string>
  /** When each event was sent, by its number: milliseconds since the epoch. */
  readonly sentAt = new Map<number, number>()

  private constructor(socket: Socket) {
    this.#socket = socket
    const recording = gunzipSync(readFileSync(file)).toString('latin1')
    this.#templates = new Map(callEvents.map(({ name }) => [name, templateOf(recording, name)]))
  }

  static async open(port: number): Promise<CallPlayer> {
    return new CallPlayer(await openEngine(port))
  }

  /** Plays calls at a rate, of one domain after another, and resolves when the last event was sent. */
  async play(domains: readonly string[], callsPerSecond: number, seconds: number): Promise<void> {
    const startedAt = performance.now()
    const count = callsPerSecond * seconds
    let begun = 0
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * callsPerSecond) + 1)
        for (; begun < due; begun += 1) this.#begin(domains[begun % domains.length] ?? '')
        if (begun < count) return
        clearInterval(timer)
        setTimeout(resolve, callEvents[2].afterMs + 50)
      }, 5)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #begin(domain: string): void {
    const uuid = randomUUID()
    for (const { name, afterMs } of callEvents) setTimeout(() => this.#send(name, domain, uuid), afterMs)
  }

  #send(name: string, domain: string, uuid: string): void {
    const number = this.sentAt.size + 1
    const lines = this.#templates.get(name)?.replaceAll('{uuid}', uuid).replaceAll('{domain}', domain)
    this.#socket.write(`sendevent ${name}\n${lines}\nBench-Number: ${number}\n\n`, 'latin1')
    this.sentAt.set(number, performance.timeOrigin + performance.now())
  }
}
