import { beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '../../../core/accounts/account.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { handler as listEvents } from '../../../functions/events/list-events.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aHook, aRole, anEvent } from '../../support/records/records.ts'
import { logEvent } from '../../support/hooks/logged-events.ts'

const domain = 'a.example.com'

let api: Api
let admin: Account

beforeEach(async () => {
  api = anApi()
  admin = await api.account({ role: 'admin' })
  await api.ports.hooks.create([aHook({ domain, createdAt: api.clock.now() })], 100)
})

const ask = async (query = '') => api.call(listEvents, { headers: { ...(await api.as(admin)) }, query })
const data = async (query = '') => (await ask(query)).body.data
const sequences = ({ events }: { events: readonly { sequence: number }[] }) => events.map(({ sequence }) => sequence)

async function log(count: number, given: Partial<PlatformEvent> = {}): Promise<void> {
  for (let logged = 0; logged < count; logged += 1) {
    await logEvent(api.ports.eventLogWriter, anEvent({ domain, ...given }), 0)
  }
}

describe('a chosen part of the list of events', () => {
  const call = '11111111-2222-4333-8444-555555555555'
  const ofCall = { uuid: call, name: 'CHANNEL_HANGUP_COMPLETE' }

  it('the events of a call and of a name are found among many, and those left out are no gap', async () => {
    await log(3)
    await log(1, ofCall)
    await log(2)
    await log(1, { ...ofCall, name: 'CHANNEL_DESTROY' })

    const pages = [await data(`call=${call.toUpperCase()}`), await data(`call=${call}&name=CHANNEL_DESTROY`)]

    expect(pages.map(sequences)).toEqual([[4, 7], [7]])
    expect(pages).toMatchObject([
      { gaps: [], next: 7, more: false },
      { gaps: [], next: 7, more: false },
    ])
  })

  it('a page of chosen events continues after the last one that it shows', async () => {
    await log(1)
    await log(1, ofCall)
    await log(1)
    await log(1, ofCall)

    const first = await data(`call=${call}&limit=1`)
    const second = await data(`call=${call}&limit=1&since=${first.next}`)

    expect([first, second].map(sequences)).toEqual([[2], [4]])
    expect(first).toMatchObject({ next: 2, more: true, gaps: [] })
  })

  it('chosen fields are shown alone, and those that an event lacks are left out', async () => {
    await log(1, { fields: { 'Event-Domain': domain, 'Unique-ID': call, secret: 'no' } })

    const { events } = await data('fields=Unique-ID,Hangup-Cause,constructor,__proto__')

    expect(events).toMatchObject([{ event: { 'Unique-ID': call } }])
    expect(Object.keys(events[0].event)).toEqual(['Unique-ID'])
  })

  it('a compact event has what a dashboard needs in 400 bytes, however long its texts are', async () => {
    const long = '4'.repeat(300)
    const fields = {
      'Channel-Presence-ID': `1000@${domain}`,
      'Caller-Caller-ID-Number': '1000',
      'Caller-Destination-Number': '5100',
      'Channel-Call-State': 'HANGUP',
      'Hangup-Cause': 'USER_BUSY',
    }
    await log(1, { ...ofCall, fields })
    await log(1, { ...ofCall, fields: { ...fields, 'Caller-Destination-Number': long } })

    const [usual, cut] = (await data('compact=true')).events

    const { sequence, at, name, uuid, event, ...known } = usual
    expect([sequence, typeof at, name, uuid, event]).toEqual([1, 'number', 'CHANNEL_HANGUP_COMPLETE', call, {}])
    expect(known).toEqual({
      account: `1000@${domain}`,
      from: '1000',
      to: '5100',
      state: 'HANGUP',
      hangupCause: 'USER_BUSY',
    })
    expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(400)
    expect(cut).toEqual({ ...usual, sequence: 2, at: cut.at, uuid: cut.uuid, to: undefined })
  })

  it.each(['compact=true&fields=Unique-ID', 'compact=yes', 'fields=', 'fields=a,,b', 'name=a%20b', 'call=a%2Fb'])(
    'a wrong choice of events is refused, and the parameter named: %s',
    async (query) => {
      const { status, body } = await ask(query)

      expect([status, body.code]).toEqual([400, 'invalid_field'])
      expect(query).toContain(body.details[0].field)
    },
  )

  it.each([
    ['hooks', { hook: ['r'] }, [1, 2, 3]],
    ['all channels', { channels: ['r'] }, [2, 3]],
    ['its own channels', { channels: ['ro'] }, [3]],
    ['its own hooks, which nobody has', { hook: ['ro'] }, undefined],
  ] as const)('a role that may read %s sees the events of that alone', async (_, allows, seen) => {
    await log(1, { name: 'CUSTOM->svc::user_create', uuid: '' })
    await log(1, { ...ofCall, fields: { 'Channel-Presence-ID': `1002@${domain}` } })
    await log(1, { ...ofCall, fields: { 'Channel-Presence-ID': `1001@${domain}` } })
    await api.ports.roles.write({ domain, roles: [aRole({ name: 'some', allows })], version: 1 })
    const headers = { ...(await api.as(await api.account({ login: '1001', role: 'some' }))) }

    const { status, body } = await api.call(listEvents, { headers })

    expect(status).toBe(seen === undefined ? 403 : 200)
    if (seen !== undefined) expect([sequences(body.data), body.data.gaps]).toEqual([seen, []])
  })
})
