import { describe, expect, it } from 'vitest'
import { aCallSetup, aChannel, chosenUuid } from '../../support/platform/call-setup.ts'
import { aRoot } from '../../support/platform/caller.ts'

const done = { state: 'done', text: `+OK ${chosenUuid}\n` } as const

describe('eavesdropping', () => {
  it('an eavesdrop rings the caller and only listens by default', async () => {
    const { eavesdrop, commands } = await aCallSetup({ outcome: done })

    expect(await eavesdrop(aChannel)).toEqual({ status: 'OK', info: `+OK ${chosenUuid}\n` })

    expect(commands()).toEqual([
      {
        command: {
          kind: 'eavesdrop',
          uuid: chosenUuid,
          target: aChannel,
          user: '1000',
          display: undefined,
          mode: 'listen',
          dtmf: false,
          side: '1000',
          variables: {},
        },
        scope: { domain: 'a.example.com', presenceId: null },
        waitMs: 20_000,
      },
    ])
  })

  it('an eavesdrop command contains the fields of the request', async () => {
    const { eavesdrop, commands } = await aCallSetup({ outcome: done })

    await eavesdrop(
      aChannel,
      { user: '1001', display: '+49', mode: 'barge', dtmf: true, variables: { x_mine: '1' } },
      { side: '777' },
    )

    expect(commands()[0]?.command).toMatchObject({
      user: '1001',
      display: '+49',
      mode: 'barge',
      dtmf: true,
      side: '777',
      variables: { x_mine: '1' },
    })
  })

  it('eavesdropping by a user of another domain is refused as an unknown login', async () => {
    const { eavesdrop, commands } = await aCallSetup()

    await expect(eavesdrop(aChannel, { user: '1000@b.example.com' })).rejects.toMatchObject({ code: 'invalid_field' })
    expect(commands()).toEqual([])
  })

  it('eavesdropping by a user that does not exist is not found', async () => {
    const { eavesdrop, commands } = await aCallSetup()

    await expect(eavesdrop(aChannel, { user: '4711' })).rejects.toMatchObject({ code: 'not_found' })
    expect(commands()).toEqual([])
  })

  it('eavesdropping by root requires a user', async () => {
    const { eavesdrop } = await aCallSetup({ caller: aRoot() })

    await expect(eavesdrop(aChannel)).rejects.toMatchObject({ code: 'missing_field', details: [{ field: 'user' }] })
  })

  it('eavesdropping with a variable that has a meaning to the engine is refused', async () => {
    const { eavesdrop, commands } = await aCallSetup()

    await expect(eavesdrop(aChannel, { variables: { eavesdrop_enable_dtmf: 'true' } })).rejects.toMatchObject({
      code: 'invalid_field',
    })
    expect(commands()).toEqual([])
  })
})

describe('the event of an eavesdrop', () => {
  it('the event of an eavesdrop names the listener, the target and the way of listening', async () => {
    const { eavesdrop, ports, clock } = await aCallSetup({ outcome: done })

    await eavesdrop(aChannel, { user: '1001', mode: 'whisper_a' })

    expect(ports.events.published).toEqual([
      {
        id: `eavesdrop_start:${chosenUuid}`,
        name: 'CUSTOM->svc::eavesdrop_start',
        domain: 'a.example.com',
        uuid: aChannel,
        occurredAt: clock.now(),
        fields: {
          'Event-Name': 'CUSTOM',
          'Event-Subclass': 'svc::eavesdrop_start',
          'Event-Domain': 'a.example.com',
          'Event-Date-Timestamp': `${clock.now()}000`,
          'Unique-ID': aChannel,
          'Eavesdrop-UUID': chosenUuid,
          'Eavesdrop-User': '1001',
          'Eavesdrop-Mode': 'whisper_a',
          'Eavesdrop-Caller': '1000@a.example.com',
        },
      },
    ])
  })

  it('the event of an eavesdrop is published while the phone of the listener still rings', async () => {
    const { eavesdrop, ports } = await aCallSetup({ outcome: undefined })

    await eavesdrop(aChannel)

    expect(ports.events.published).toHaveLength(1)
  })

  it.each([{ reason: 'disconnected' }, { reason: 'connector_lost' }] as const)(
    'the event of an eavesdrop with an unknown outcome (%o) is published, with the leg that may be up',
    async ({ reason }) => {
      const { eavesdrop, ports } = await aCallSetup({ outcome: { state: 'unknown', reason } })

      await expect(eavesdrop(aChannel)).rejects.toMatchObject({
        code: 'outcome_unknown',
        details: [{ field: 'uuid', problem: `${chosenUuid} may be up` }],
      })

      expect(ports.events.published).toMatchObject([
        { name: 'CUSTOM->svc::eavesdrop_start', fields: { 'Eavesdrop-UUID': chosenUuid } },
      ])
    },
  )

  it('the event of an eavesdrop names the leg that the engine created if it differs from the chosen one', async () => {
    const made = '0b7a1c1e-0000-4000-8000-00000000000f'
    const { eavesdrop, ports } = await aCallSetup({ outcome: { state: 'done', text: `+OK ${made}\n`, uuid: made } })

    await eavesdrop(aChannel)

    expect(ports.events.published).toMatchObject([
      { id: `eavesdrop_start:${chosenUuid}`, fields: { 'Eavesdrop-UUID': made } },
    ])
  })

  it.each([
    { state: 'absent' },
    { state: 'refused', text: '-ERR' },
    { state: 'unsent', reason: 'disconnected' },
  ] as const)('no event is published for an eavesdrop that did not happen (%o)', async (outcome) => {
    const { eavesdrop, ports } = await aCallSetup({ outcome })

    await expect(eavesdrop(aChannel)).rejects.toThrow()

    expect(ports.events.published).toEqual([])
  })

  it('an eavesdrop with an unknown outcome whose event cannot be published is an error that says it may have happened', async () => {
    const { eavesdrop, ports } = await aCallSetup({ outcome: { state: 'unknown', reason: 'disconnected' } })
    ports.events.refuses = () => true

    await expect(eavesdrop(aChannel)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`may have been called (${chosenUuid})`),
    })
  })

  it('an eavesdrop whose event cannot be published is an error that says what has happened', async () => {
    const { eavesdrop, ports } = await aCallSetup({ outcome: done })
    ports.events.refuses = () => true

    await expect(eavesdrop(aChannel)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: `the listener was called (${chosenUuid}), but the event of it could not be queued`,
    })
  })
})
