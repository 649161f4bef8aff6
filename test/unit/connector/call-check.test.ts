import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { callCheck } from '../../../connector/calls/call-check.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { engineReading } from '../../../connector/calls/engine-reading.ts'
import { jsonRows } from '../../support/engine/answering-engine.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const listed = '7e4b43e2-6b44-4d0c-8b0f-7f8c2f6f0001'
const late = '7e4b43e2-6b44-4d0c-8b0f-7f8c2f6f0002'
const over = '7e4b43e2-6b44-4d0c-8b0f-7f8c2f6f0003'

/** An engine that lists one call, knows another that its list does not show yet, and answers unless a test says no. */
function aCheck() {
  const time = manualTime()
  const { domains: store } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const domains = domainNames(store, time.clock)
  const registry = new ChannelRegistry(domains)
  const asked: string[] = []
  const link = { isReady: true, isSilent: false }
  const answerOf = (command: string) => {
    if (command === 'show channels as json') return jsonRows([{ uuid: listed, callstate: 'ACTIVE' }])
    return command === `uuid_dump ${late} json` ? JSON.stringify({ 'Unique-ID': late }) : '-ERR No such channel!\n'
  }
  const commands = {
    get state() {
      return link.isReady ? ({ kind: 'ready', coreUuid: aCoreUuid } as const) : ({ kind: 'connecting' } as const)
    },
    api: async (command: string) => {
      asked.push(command)
      return link.isSilent ? new Promise<string>(() => {}) : answerOf(command)
    },
  }
  const isUp = callCheck({
    ...time,
    registry,
    engines: [
      {
        engine: { name: '192.0.2.1:8021', coreUuid: aCoreUuid, commands },
        reading: engineReading({ ...time, engine: '192.0.2.1:8021', link: commands, registry, domains }),
      },
    ],
  })
  return { time, registry, asked, link, isUp }
}

test('checks for several calls share one list of channels, and only a call that is not listed is checked on its own', async () => {
  const { isUp, asked, registry } = aCheck()

  expect(await Promise.all([isUp(listed), isUp(late), isUp(over)])).toEqual([true, true, false])

  expect(asked).toEqual([
    'show channels as json',
    // The list does not tell its account.
    `uuid_dump ${listed} json`,
    `uuid_dump ${late} json`,
    `uuid_dump ${over} json`,
  ])
  expect(registry.find(listed)).toMatchObject({ core: aCoreUuid, callState: 'ACTIVE', proven: true })
})

test('a check uses a list of channels that is less than a second old, even if channels change meanwhile', async () => {
  const { isUp, asked, registry, time } = aCheck()
  await isUp(listed)

  registry.touch('a.example.com')
  const second = isUp(over)
  await time.advance(900)

  expect(await second).toBe(false)
  expect(asked.filter((command) => command === 'show channels as json')).toHaveLength(1)
})

test('a check has no result and asks no engine while the command link is down', async () => {
  const { isUp, asked, link } = aCheck()
  link.isReady = false

  expect(await isUp(over)).toBeUndefined()

  expect(asked).toEqual([])
})

test('a check waits two seconds for a silent engine, and further checks in the next two seconds do not wait', async () => {
  const { isUp, time, asked, link } = aCheck()
  link.isSilent = true
  const first = isUp(over)
  await time.advance(2_000)
  expect(await first).toBeUndefined()

  expect(await isUp(late)).toBeUndefined()

  expect(asked).toEqual(['show channels as json'])
})
