import { expect, test } from 'vitest'
import { compareEveryMs, compareGatewaysEachHour } from '../../../connector/recovery/align-engine.ts'
import { domain, gatewayEngine } from '../../support/engine/gateway-engine.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'

/** An engine that has a gateway, and the comparison of each hour; the link to it may be down. */
async function aComparedEngine(kind: 'ready' | 'connecting' = 'ready') {
  const harness = await gatewayEngine()
  await harness.write('trunk')
  await harness.engine.gateways.rescan()
  await harness.time.advance(3_000)
  const link = { ...harness.link, state: kind === 'ready' ? { kind, coreUuid: undefined } : { kind } }
  const stopping = new AbortController()
  const deps = { ...harness.time, aligner: harness.aligner(), random: () => 0, log: capturedLog() }
  const ended = compareGatewaysEachHour([{ engine: { name: 'one', commands: link as never } }], deps, stopping.signal)
  return { ...harness, stop: () => (stopping.abort(), ended) }
}

test('a changed gateway whose order was never queued is applied within the hour, and an unchanged one stays', async () => {
  const { write, time, orders, hasCurrent, stop } = await aComparedEngine()
  await write('trunk', { realm: 'other.example.net' })

  await time.advance(compareEveryMs - 1)
  expect(orders()).toEqual([])
  await time.advance(10_000)
  expect(orders()).toEqual(['killgw trunk', 'rescan'])
  expect(await hasCurrent('trunk')).toBe(true)

  await time.advance(compareEveryMs)
  expect(orders()).toHaveLength(2)
  await stop()
})

test('a gateway that was deleted without an order is removed from the engine within the hour', async () => {
  const { ports, time, engine, stop } = await aComparedEngine()
  const stored = await ports.gateways.read(domain, 'trunk')
  if (stored !== undefined) await ports.gateways.remove(stored)

  await time.advance(compareEveryMs + 10_000)

  expect(engine.gateways.list()).toEqual([])
  await stop()
})

test('the gateways of an engine whose link is down are not compared, and none are after the stop', async () => {
  const down = await aComparedEngine('connecting')
  const stopped = await aComparedEngine()
  await down.write('trunk', { realm: 'other.example.net' })
  await stopped.write('trunk', { realm: 'other.example.net' })
  await stopped.stop()

  for (const { time } of [down, stopped]) await time.advance(2 * compareEveryMs)

  expect([down.orders(), stopped.orders()]).toEqual([[], []])
  await down.stop()
})

test('the gateways of an engine are compared each hour, even if the comparison of another engine always fails', async () => {
  const harness = await gatewayEngine()
  const compared: string[] = []
  const engine = (name: string) => ({
    engine: { name, commands: { ...harness.link, name, state: { kind: 'ready' } } as never },
  })
  const applyAll = async (link: object) => {
    if ('name' in link && link.name === 'bad') throw new Error('no answer')
    compared.push('good')
    return 0
  }
  const deps = { ...harness.time, aligner: { applyAll }, random: () => 0, log: capturedLog() }
  const stopping = new AbortController()
  const ended = compareGatewaysEachHour([engine('bad'), engine('good')], deps, stopping.signal)

  await harness.time.advance(3 * compareEveryMs)

  expect(compared).toEqual(['good', 'good', 'good'])
  stopping.abort()
  await ended
})
