import { describe, expect, it } from 'vitest'
import { aCallSetup, aChannel, chosenUuid } from '../../support/call-setup.ts'
import { aRoot } from '../../support/caller.ts'

const done = { state: 'done', text: `+OK ${chosenUuid}\n` } as const

describe('eavesdropping', () => {
  it('rings the caller and listens, when nothing else is said', async () => {
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

  it('carries what the request says', async () => {
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

  it('by a user of another domain is refused as no login', async () => {
    const { eavesdrop, commands } = await aCallSetup()

    await expect(eavesdrop(aChannel, { user: '1000@b.example.com' })).rejects.toMatchObject({ code: 'invalid_field' })
    expect(commands()).toEqual([])
  })

  it('by a user that does not exist is not found', async () => {
    const { eavesdrop, commands } = await aCallSetup()

    await expect(eavesdrop(aChannel, { user: '4711' })).rejects.toMatchObject({ code: 'not_found' })
    expect(commands()).toEqual([])
  })

  it('by root needs a user', async () => {
    const { eavesdrop } = await aCallSetup({ caller: aRoot() })

    await expect(eavesdrop(aChannel)).rejects.toMatchObject({ code: 'missing_field', details: [{ field: 'user' }] })
  })

  it('with a variable that the engine gives a meaning to is refused', async () => {
    const { eavesdrop, commands } = await aCallSetup()

    await expect(eavesdrop(aChannel, { variables: { eavesdrop_enable_dtmf: 'true' } })).rejects.toMatchObject({
      code: 'invalid_field',
    })
    expect(commands()).toEqual([])
  })
})

describe('the event of an eavesdrop', () => {
  it('tells who listens to what, and how', async () => {
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

  it('is told while the phone of the listener still rings', async () => {
    const { eavesdrop, ports } = await aCallSetup({ outcome: undefined })

    await eavesdrop(aChannel)

    expect(ports.events.published).toHaveLength(1)
  })

  it.each([{ reason: 'disconnected' }, { reason: 'connector_lost' }] as const)(
    'is told of one whose fate is lost (%o), and so is the leg that may be up',
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

  it('names the leg that the engine made where it is another than the chosen one', async () => {
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
  ] as const)('is not told of one that did not happen (%o)', async (outcome) => {
    const { eavesdrop, ports } = await aCallSetup({ outcome })

    await expect(eavesdrop(aChannel)).rejects.toThrow()

    expect(ports.events.published).toEqual([])
  })

  it('that cannot be queued, of one whose fate is lost, says that it may have happened', async () => {
    const { eavesdrop, ports } = await aCallSetup({ outcome: { state: 'unknown', reason: 'disconnected' } })
    ports.events.refuses = () => true

    await expect(eavesdrop(aChannel)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`may have been called (${chosenUuid})`),
    })
  })

  it('that cannot be queued is an error that says what has happened', async () => {
    const { eavesdrop, ports } = await aCallSetup({ outcome: done })
    ports.events.refuses = () => true

    await expect(eavesdrop(aChannel)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: `the listener was called (${chosenUuid}), but the event that tells of it could not be queued`,
    })
  })
})
