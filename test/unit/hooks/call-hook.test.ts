import { expect, it } from 'vitest'
import { hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { memoryHookClient } from '../../support/memory/memory-hook-client.ts'
import { callHook } from '../../../core/hooks/request/call-hook.ts'
import type { JsonObject } from '../../../core/hooks/definition/event-fields.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

const subject = { id: `msg_${'0'.repeat(32)}`, eventName: 'CHANNEL_CREATE', sequence: 1 }

/** The request for an event with these fields. */
async function sent(method: string, fields: JsonObject, given = {}) {
  const hookClient = memoryHookClient()
  const action = { type: 'web', method, url: 'https://receiver.example.com/' } as const
  const hook = aHook({ action, ...given })
  const tools = { hookClient, clock: movableClock(), hmac: hmacSha256 }
  await callHook(tools, { hook, keys: [new Uint8Array(32)] }, subject, { ...anEvent(), fields })
  return hookClient.sent
}

const login = {
  enabled: true,
  url: 'https://login.example.com/',
  method: 'POST',
  headers: {},
  map: { n: '${n}' },
  cookie: false,
}

it.each([
  ['POST', {}],
  ['GET', {}],
  ['POST', { customBody: true, rawBody: '{"n":"${n}"}' }],
  ['POST', { auth: login }],
  ['POST', { map: { a: 'z', z: 'a' } }],
])('a %s with %j has the same bytes in whatever order a store gives the fields', async (method, given) => {
  const fields = { z: '1', a: '2', n: { y: [{ d: 1, c: null }], b: true } }
  const shuffled = { n: { b: true, y: [{ c: null, d: 1 }] }, a: '2', z: '1' }

  expect(await sent(method, shuffled, given)).toEqual(await sent(method, fields, given))
  expect(JSON.stringify(await sent(method, shuffled, given))).toBe(JSON.stringify(await sent(method, fields, given)))
})

it('a request names the headers in which letters of the event became question marks', async () => {
  const headers = { 'X-Name': '${name}', 'X-Plain': '${plain}' }
  const fields = { name: 'Zoë Müller', plain: 'a\u0007b' }

  expect(await sent('POST', fields, { headers })).toMatchObject([
    { headers: { 'x-name': 'Zo? M?ller', 'x-plain': 'ab' }, replaced: ['x-name'] },
  ])
  expect(await sent('GET', { name: 'Zoe' }, { headers })).not.toHaveProperty('0.replaced')
})
