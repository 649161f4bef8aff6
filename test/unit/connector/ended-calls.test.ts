import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { engineReading } from '../../../connector/calls/engine-reading.ts'
import { findChannel } from '../../../connector/calls/find-channel.ts'
import { jsonRows } from '../../support/engine/scripted-engine.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const [over, other] = ['7e4b43e2-6b44-4d0c-8b0f-7f8c2f6f0001', '7e4b43e2-6b44-4d0c-8b0f-7f8c2f6f0002']
const name = '192.0.2.1:8021'

/** An engine whose list still shows a call that has ended, beside another, and what it was asked. */
function anEngine() {
  const time = manualTime()
  const { domains: store } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const domains = domainNames(store, time.clock)
  const registry = new ChannelRegistry(domains)
  registry.place(over, 'a.example.com', '', name)
  registry.end(over, '')
  const asked: string[] = []
  const commands = {
    state: { kind: 'ready', coreUuid: aCoreUuid } as const,
    api: async (command: string) => {
      asked.push(command)
      return command === 'show channels as json'
        ? jsonRows([{ uuid: over }, { uuid: other }])
        : '-ERR No such channel!\n'
    },
  }
  const engines = [{ engine: { name, coreUuid: aCoreUuid, commands } }]
  return {
    asked,
    registry,
    engines,
    reading: engineReading({ ...time, engine: name, link: commands, registry, domains }),
  }
}

test('a call that ended a short while ago is not found, and no engine is asked for it', async () => {
  const { registry, engines, asked } = anEngine()

  expect(await findChannel({ registry, engines }, over, { domain: null, presenceId: null }, 'always')).toBeUndefined()

  expect(asked).toEqual([])
})

test('an engine whose list still shows a call that has ended is asked nothing more about it', async () => {
  const { reading, asked } = anEngine()

  await reading.current(null)

  expect(asked).toEqual(['show channels as json', `uuid_dump ${other} json`])
})
