/** The examples of docs/routes.md at a real engine. Skipped without `FREESWITCH_BIN`. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { openDialledCalls } from '../support/engine/dialled-calls.ts'
import { writeSounds } from '../support/engine/domain-sounds.ts'
import { createTaken, trunkTo } from '../support/engine/gateway-taken.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'
import { documentedSteps, withoutPosition } from '../support/records/documented-steps.ts'

const acme = 'acme.example.com'
/** The calling side of an answered call stays for so long. */
const stayMs = 3_000

describe.skipIf(freeswitchBin === undefined)('docs/routes.md at an engine of the kit', () => {
  const harness = opened(() => aGatewayHarness())
  const calls = opened(() => openDialledCalls(harness().place.socketPort))
  let made: Client | undefined
  const admin = (): Client => {
    if (made === undefined) throw new Error('the tenant is made first')
    return made
  }

  beforeAll(async () => {
    writeSounds(harness().place.sounds, acme)
    made = await harness().platform.tenant(acme)
    const [port, ip] = [harness().gatewayPort, '127.0.0.11']
    const provider = await harness().phone('provider', '127.0.0.1', { port, ip, isBusy: true })
    const carrier = trunkTo({ address: provider.address, ip }, 'carrier', { username: 'pbx' })
    await createTaken({ engine: harness().engine, client: admin(), domain: acme }, carrier)
    const ends = { destination_number: '100', callflow: [{ hangup: 'NORMAL_CLEARING' }] }
    await admin().call('createDefaultRoute', { body: ends })
  })

  it.each(documentedSteps)('the engine runs the example of the step $kind as the page shows', async (step) => {
    const body = { destination_number: String.raw`9(\d+)`, callflow: [...step.callflow] }
    const { _id } = await admin().call('createDefaultRoute', { body })

    const shown = step.shown.map((line) => comparable(line, harness().place.sounds))
    const ran = async () => {
      const { executed } = await calls().dial(acme, '9200', { stayMs, digits: ['1'] })
      // The language of prompts goes with every call that may hear some.
      const lines = executed
        .filter((line) => !line.startsWith('set default_language='))
        .map((line) => comparable(line, harness().place.sounds))
      return lines.slice(lines.indexOf(shown[0] ?? '')).slice(0, shown.length)
    }
    // What a domain's calls are decided by may be two seconds old.
    try {
      await expect.poll(ran, { timeout: 30_000 }).toEqual(shown)
    } finally {
      await admin().call('deleteDefaultRoute', { params: { route_id: _id } })
    }
  })
})

/** Replaces what only the engine knows: its folders and the call's uuid. */
function comparable(line: string, sounds: string): string {
  return withoutPosition(line)
    .replaceAll('${sounds_folder}', sounds)
    .replace(/^set recording_file=.*/, 'set recording_file')
    .replace(/^((?:stop_)?record_session) .*/, '$1')
}
