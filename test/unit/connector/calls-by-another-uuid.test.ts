import { afterEach, describe, expect, test } from 'vitest'
import { aChannelFor, commandKinds } from '../../support/platform/api-commands.ts'
import { type CommandPath, type MortalConnector, aCommandPath } from '../../support/connector/command-path.ts'
import type { EngineJob } from '../../support/engine/scripted-engine.ts'

let close = async () => {}
afterEach(() => close())

const domain = 'a.example.com'

async function aPath(): Promise<CommandPath & { readonly first: MortalConnector }> {
  const path = await aCommandPath()
  close = path.close
  return { ...path, first: await path.connect() }
}

/** Sends a command of a kind as an account's API call, and returns the response to its caller. */
async function send(path: CommandPath, kind: string, channel = '', asDomain = domain) {
  const order = commandKinds.find((each) => each.kind === kind)
  if (order === undefined) throw new Error(`there is no ${kind}`)
  const answer = await path.finish(order.send(path, channel, asDomain))
  if ('outcome' in answer) throw new Error('the command has no caller')
  return answer
}

const channelsOf = ({ first }: { first: MortalConnector }) => first.connector.health().counters['channels']

const chosenIn = (line: string) => /origination_uuid=([0-9a-f-]{36})/.exec(line)?.[1] ?? ''

/** From now on the uuid that is chosen for a call is in use at the engine, which chooses another; answers both. */
function takenUuids(path: CommandPath): { chosen: string; actual: string } {
  const both = { chosen: '', actual: '' }
  path.engine.onJob = (job) => {
    job.accept()
    both.chosen = chosenIn(job.line)
    path.engine.channels.set(both.chosen, { domain, presenceId: `1000@${domain}`, isHeld: false })
    const reply = job.run()
    path.engine.channels.delete(both.chosen)
    both.actual = reply.slice(4).trim()
    job.finish(reply)
    path.engine.onJob = usual
  }
  return both
}

const usual = (job: EngineJob) => {
  job.accept()
  job.finish(job.run())
}

test('a listener that may have been placed is reported to its caller although the link was cut', async () => {
  const path = await aPath()
  path.engine.onJob = (job) => {
    job.accept()
    job.run()
    job.cut()
  }

  const answer = await send(path, 'eavesdrop', aChannelFor(path, 'eavesdrop'))

  const chosen = chosenIn(path.engine.lines[0] ?? '')
  expect(answer).toMatchObject({
    status: 504,
    body: { code: 'outcome_unknown', details: [{ field: 'uuid', problem: `${chosen} may be up` }] },
  })
  expect(path.api.ports.events.published).toMatchObject([
    { name: 'CUSTOM->svc::eavesdrop_start', fields: { 'Eavesdrop-UUID': chosen } },
  ])
})

describe('a call that the engine made under another uuid than the chosen one', () => {
  test('a call that the engine made under another uuid than the chosen one is not up after its end, even if the end came before the answer', async () => {
    const path = await aPath()
    const other = crypto.randomUUID()
    let job: EngineJob | undefined
    path.engine.onJob = (given) => {
      job = given
      given.accept()
    }
    const answer = send(path, 'originate')
    await path.until(() => job !== undefined)
    const tell = (name: string, uuid: string, state: string) =>
      path.engine.emit({
        'Event-Name': name,
        'Unique-ID': uuid,
        'Channel-Presence-ID': `1000@${domain}`,
        'Channel-Call-State': state,
        'Event-Date-Timestamp': `${path.time.clock.now()}000`,
        variable_domain_name: domain,
      })
    tell('CHANNEL_CREATE', other, 'RINGING')
    tell('CHANNEL_HANGUP_COMPLETE', other, 'HANGUP')
    tell('CHANNEL_DESTROY', other, 'HANGUP')
    // Events are read in order: once the call that was reported last is known, the end of the other is known as well.
    tell('CHANNEL_CREATE', crypto.randomUUID(), 'RINGING')
    await path.until(() => channelsOf(path) === 2)
    job?.finish(`+OK ${other}\n`)

    expect(await answer).toMatchObject({ status: 200, body: { info: `+OK ${other}\n` } })
    expect(channelsOf(path)).toBe(1)
  })

  test('a call that the engine made under another uuid is found by the chosen uuid, even by a connector that never saw its events', async () => {
    const path = await aPath()
    const both = takenUuids(path)
    expect(await send(path, 'originate')).toMatchObject({ status: 200 })
    expect(both.actual).not.toBe(both.chosen)
    path.first.kill()
    await path.connect()

    expect(await send(path, 'hold', both.chosen)).toMatchObject({ status: 200 })

    expect(path.engine.channels.get(both.actual)).toMatchObject({ isHeld: true })
    expect(path.engine.lines.at(-1)).toBe(`uuid_hold ${both.actual}`)
  })

  test('a call that the engine made under another uuid belongs to its tenant by either uuid, even for a connector that never saw its events', async () => {
    const path = await aPath()
    const both = takenUuids(path)
    await send(path, 'originate')
    path.first.kill()
    await path.connect()
    path.engine.jobs.length = 0

    for (const uuid of [both.chosen, both.actual]) {
      expect(await send(path, 'hold', uuid, 'b.example.com')).toMatchObject({ status: 404 })
    }

    expect(path.engine.lines).toEqual([])
  })

  test('a call that the engine made under another uuid than the chosen one can become a listener by that uuid', async () => {
    const path = await aPath()
    const target = aChannelFor(path, 'eavesdrop')
    const both = takenUuids(path)

    expect(await send(path, 'eavesdrop', target)).toMatchObject({ status: 200 })

    expect(path.api.ports.events.published).toMatchObject([{ fields: { 'Eavesdrop-UUID': both.actual } }])
  })
})

test.each([
  ['the uuid that was chosen', usual],
  ['another uuid', undefined],
])('a call of %s that ended while no connector listened to its engine is not up', async (_title, onJob) => {
  const path = await aPath()
  if (onJob === undefined) takenUuids(path)
  await send(path, 'originate')
  expect(channelsOf(path)).toBe(1)
  path.engine.channels.clear()

  path.first.door.cut()

  await path.until(() => channelsOf(path) === 0)
})
