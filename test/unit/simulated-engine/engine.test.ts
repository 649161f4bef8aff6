import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type SimulatorHarness, type WireClient, simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { fromJson } from '../../support/engine/engine-shape.ts'

const harnesses: SimulatorHarness[] = []
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close()
})

async function openHarness(options: Parameters<typeof simulatorHarness>[0] = {}): Promise<SimulatorHarness> {
  const harness = await simulatorHarness(options)
  harnesses.push(harness)
  return harness
}

describe('the engine', () => {
  test('the simulated engine does not start on a port in use, and reports the original error', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0

    await expect(simulatorHarness({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await new Promise((resolve) => taken.close(resolve))
  })

  test('the simulated engine makes the same uuids from the same seed, and others from another', async () => {
    const firstUuid = async (seed: number) => {
      const client = await (await openHarness({ seed })).login()
      return (await client.command('api create_uuid')).body
    }

    const [once, again, other] = [await firstUuid(1), await firstUuid(1), await firstUuid(2)]

    expect(once).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(again).toBe(once)
    expect(other).not.toBe(once)
  })

  test('the simulated engine sends a heartbeat every twenty seconds', async () => {
    const harness = await openHarness()
    const client = await harness.login()
    await client.command('event json HEARTBEAT')

    await harness.time.advance(60_000)

    const beats = (await client.drain()).map(({ body }) => new Map(fromJson(body).pairs))
    expect(beats).toHaveLength(3)
    expect(beats[0]?.get('Event-Info')).toBe('System Ready')
  })

  test('the simulated engine closes every connection and frees its port', async () => {
    const harness = await openHarness()
    const client = await harness.login()

    await harness.engine.close()

    await client.untilClosed()
    const again = createServer()
    await new Promise<void>((resolve, reject) => {
      again.once('error', reject)
      again.listen(harness.engine.port, '127.0.0.1', resolve)
    })
    await new Promise((resolve) => again.close(resolve))
  })

  test('the simulated engine numbers an event when it is created, so that numbers may arrive out of order', async () => {
    const client = await (await openHarness()).login()
    await client.command('event json API RELOADXML')

    await client.command('api reloadxml')

    const events = (await client.drain()).map(({ body }) => new Map(fromJson(body).pairs))
    expect(events.map((event) => event.get('Event-Name'))).toEqual(['RELOADXML', 'API'])
    const [first, second] = events.map((event) => Number(event.get('Event-Sequence')))
    expect(second).toBeLessThan(first ?? 0)
  })
})

describe('a reader that is too slow', () => {
  const event = (payload: string) => `sendevent CUSTOM\nEvent-Subclass: lab::load\npay: ${payload}\n\n`

  /** More than the sockets between the two can hold, then more than may be lost. */
  const burst = [
    ...Array<string>(60).fill(event('x'.repeat(200_000))),
    ...Array<string>(700).fill(event('y')),
    'sendevent CUSTOM\nEvent-Subclass: lab::last\n\n',
  ]

  /** A client that stops reading, and one that sends it the burst until nothing is answered any more. */
  async function fallBack(harness: SimulatorHarness): Promise<{ slow: WireClient; answered: number }> {
    const slow = await harness.login()
    await slow.command('event plain CUSTOM lab::load')
    slow.pause()
    const sender = await harness.login()
    sender.send(burst.join(''))
    // The queue and the losses that are forgiven: so many are answered for certain.
    let answered = (await sender.take(505)).length
    for (let news = 1; news > 0; answered += news) news = (await sender.drain()).length
    return { slow, answered }
  }

  test('a slow reader of the simulated engine blocks all others until it is disconnected, and the others miss nothing', async () => {
    const harness = await openHarness({ maxQueuedEvents: 5 })
    const other = await harness.login()
    await other.command('event plain CUSTOM lab::last')
    const { slow, answered } = await fallBack(harness)

    expect(answered).toBeLessThan(burst.length)
    expect(await other.drain()).toEqual([])
    slow.destroy()
    expect(await other.take(1)).toHaveLength(1)
  })

  test('a slow reader of the simulated engine gets a notice in the middle of an event, and is disconnected', async () => {
    const harness = await openHarness({ maxQueuedEvents: 5 })
    const { slow } = await fallBack(harness)

    slow.resume()

    await slow.untilClosed()
    expect(slow.tail.slice(-110)).toMatch(
      /xxxContent-Type: text\/disconnect-notice\nContent-Length: 39\n\nkilled listener because of lost events\n$/,
    )
  })
})
