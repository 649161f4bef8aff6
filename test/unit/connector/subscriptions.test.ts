import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { EslCommand } from '../../../packages/esl/command.ts'
import { subscriptions } from '../../../connector/events/subscriptions.ts'
import { baseEvents, serviceEventKinds } from '../../../core/events/catalogue.ts'
import type { SubscriptionReader } from '../../../core/hooks/definition/hook-store.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { gone } from '../../support/stores/flaky.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aHook } from '../../support/records/records.ts'

function following(wrap: (reader: SubscriptionReader) => SubscriptionReader = (reader) => reader) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const log = capturedLog()
  const wanted = subscriptions({ ...time, reader: wrap(ports.subscriptions), log })
  const stopping = new AbortController()
  const seen = { changes: 0 }
  const ended = wanted.follow(() => (seen.changes += 1), stopping.signal)
  const hook = (given: Partial<Hook>) => ports.hooks.create([aHook(given)], 100)
  return { time, ports, wanted, hook, log, seen, ended, stop: () => stopping.abort() }
}

test('a new hook takes effect within a second', async () => {
  const { time, wanted, hook, seen } = following()
  await time.advance(0)
  await hook({ domain: 'a.example.com', event: 'DTMF' })
  expect(wanted.wants('a.example.com', 'DTMF')).toBe(false)

  await time.advance(1_000)

  expect(wanted.wants('a.example.com', 'DTMF')).toBe(true)
  expect(wanted.wants('b.example.com', 'DTMF')).toBe(false)
  expect(seen.changes).toBe(2)
})

test('a domain with a hook, enabled or not, wants the base events and those of its hooks, and any other domain none', async () => {
  const { time, wanted, hook } = following()
  await hook({ domain: 'a.example.com', event: 'DTMF' })
  await hook({ domain: 'b.example.com', event: 'CHANNEL_PARK', enable: false })

  await time.advance(1_000)

  const wants = (domain: string) => (name: string) => wanted.wants(domain, name)
  expect([...baseEvents].filter((name) => !wants('a.example.com')(name))).toEqual([])
  expect([...baseEvents].filter((name) => !wants('b.example.com')(name))).toEqual([])
  expect([...baseEvents, 'DTMF', 'CHANNEL_PARK'].filter(wants('c.example.com'))).toEqual([])
  expect(['DTMF', 'CHANNEL_PARK', 'CHANNEL_STATE'].filter(wants('a.example.com'))).toEqual(['DTMF'])
  expect(['DTMF', 'CHANNEL_PARK', 'CHANNEL_STATE'].filter(wants('b.example.com'))).toEqual(['CHANNEL_PARK'])
  expect(wanted.domainsWanting('CHANNEL_CREATE')).toEqual(['a.example.com', 'b.example.com'])
})

test('the base events are those of the contract', () => {
  const ofCalls = ['CREATE', 'ANSWER', 'BRIDGE', 'HOLD', 'UNHOLD', 'HANGUP_COMPLETE'].map((name) => `CHANNEL_${name}`)
  const ofThePlatform = serviceEventKinds.map((kind) => `CUSTOM->svc::${kind}`)

  expect([...baseEvents].toSorted()).toEqual([...ofCalls, 'RECORD_STOP', ...ofThePlatform].toSorted())
})

test('no event is wanted without any hook, and the engine is asked only for the events that the platform needs', async () => {
  const { time, wanted, hook, ports } = following()
  await time.advance(0)
  const words = wanted.engineWords()
  expect([...baseEvents].filter((name) => wanted.isWanted(name))).toEqual([])

  await hook({ event: 'CHANNEL_CREATE' })
  await time.advance(1_000)
  expect([...baseEvents].filter((name) => !wanted.isWanted(name))).toEqual([])
  expect(wanted.engineWords().toSorted()).toEqual(words.toSorted())

  const [made] = await ports.hooks.list('a.example.com')
  if (made !== undefined) await ports.hooks.remove(made)
  await time.advance(1_000)
  expect([...baseEvents].filter((name) => wanted.isWanted(name))).toEqual([])
})

test('listeners are not called while no subscription changes', async () => {
  const { time, seen } = following()

  await time.advance(10_000)

  expect(seen.changes).toBe(1)
})

test('the subscription names plain events before CUSTOM, since every word after CUSTOM is a subclass', async () => {
  const { time, wanted, hook } = following()
  await hook({ event: 'CUSTOM->engine::dialer_member_end' })
  await hook({ event: 'DTMF' })

  await time.advance(1_000)

  const words = wanted.engineWords()
  const custom = words.indexOf('CUSTOM')
  expect(words.filter((word) => word === 'CUSTOM')).toHaveLength(1)
  expect(words.slice(0, custom)).toEqual(expect.arrayContaining(['DTMF', 'CHANNEL_CREATE', 'HEARTBEAT']))
  expect(words.slice(custom + 1).sort()).toEqual([
    'engine::dialer_member_end',
    'sofia::expire',
    'sofia::gateway_add',
    'sofia::gateway_delete',
    'sofia::gateway_state',
    'sofia::register',
    'sofia::unregister',
  ])
})

test("the platform's own events are not subscribed at the engine", async () => {
  const { time, wanted, hook } = following()
  await hook({ event: 'CUSTOM->svc::user_create' })

  await time.advance(1_000)

  expect(wanted.engineWords()).not.toContain('svc::user_create')
  expect(wanted.concerns('CUSTOM->svc::user_create')).toBe(false)
  expect(wanted.domainsWanting('CUSTOM->svc::user_create')).toEqual(['a.example.com'])
})

test('a hook for an event with a forbidden word does not prevent the subscription of all other events', async () => {
  const { time, wanted, hook } = following()
  await hook({ event: 'CUSTOM->a::reload' })
  await hook({ event: 'CUSTOM->b::mod_event_socket' })

  await time.advance(1_000)

  expect(wanted.engineWords()).toContain('a::reload')
  expect(() => EslCommand.event(wanted.engineWords())).not.toThrow()
})

test('a text that is no event name never reaches the engine', async () => {
  const { time, wanted, hook } = following()
  await hook({ event: 'DTMF\n\napi shutdown' })

  await time.advance(1_000)

  expect(wanted.engineWords().join(' ')).not.toContain('shutdown')
})

test('while the subscriptions cannot be read, the last ones stay in force', async () => {
  let isGone = false
  const { time, wanted, hook, log } = following((reader) => gone(reader, 'version', () => isGone))
  await hook({ event: 'DTMF' })
  await time.advance(1_000)

  isGone = true
  await time.advance(5_000)

  expect(wanted.wants('a.example.com', 'DTMF')).toBe(true)
  expect(log.lines.some(({ level }) => level === 'error')).toBe(true)
})

test('watching the subscriptions ends at once when it is stopped', async () => {
  const { time, ended, stop } = following()
  await time.advance(1_500)

  stop()

  await expect(ended).resolves.toBeUndefined()
})
