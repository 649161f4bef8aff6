/**
 * Line ends, NUL and expansions in the headers of calls at a real engine of the kit. Skipped without `FREESWITCH_BIN`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { createTaken, trunkTo } from '../support/engine/gateway-taken.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'

describe.skipIf(freeswitchBin === undefined)('a call with hostile text in its headers', () => {
  const harness = opened(() => aGatewayHarness())
  const marker = () => join(harness().place.folder, 'ran')
  let colleague: SoundPhone
  let carrier: SoundPhone

  beforeAll(async () => {
    const admin = await harness().platform.tenant(acme)
    colleague = await harness().soundPhone('1002', acme, { isAnswering: true })
    expect(await colleague.register()).toBe(200)
    carrier = await harness().soundPhone('carrier', 'carrier.test', { isAnswering: true, ip: '127.0.0.11' })
    const gateway = trunkTo({ address: carrier.address, ip: '127.0.0.11' }, 'trunk')
    await createTaken({ engine: harness().engine, client: admin, domain: acme }, gateway)
    const route = {
      destination_number: '0(\\d+)',
      name: 'out',
      callflow: [{ bridge: { endpoints: [{ type: 'gateway', name: 'trunk', dialString: '$1' }] } }],
    }
    await admin.call('createDefaultRoute', { body: route })
  })

  it.each([
    ['line ends', '%0d%0aX-Injected: yes'],
    ['folded lines', '\r\n X-Injected: yes\r\n\tmore'],
    ['NUL', '%00'],
    ['an expansion', '${system(touch MARKER)}'],
    ['an expansion in percent signs', '%24%7bsystem(touch%20MARKER)%7d'],
    ['an end of a quotation', '\\"@h>;x=<sip:evil@127.0.0.9>,\\'],
    ['the separators of a dial string', ',[a=b]{c=d}<e=f>|^^:_:_'],
    ['markup', ']]>&lt;<x y="z"'],
    ['three thousand letters', 'n'.repeat(3_000)],
  ])('brings its other side no header and runs nothing: %s', async (_what, text) => {
    const evil = text.replaceAll('MARKER', marker())
    const oneLine = evil.replaceAll(/[\r\n]+/g, '')
    const phone = await harness().soundPhone('1001', acme, {
      display: evil,
      headers: [
        ['Subject', evil],
        ['User-Agent', evil],
        ['X-Evil', evil],
        ['Alert-Info', `<http://${oneLine.replaceAll(/[<>" ]/g, '')}>`],
        ['Remote-Party-ID', `"${evil}" <sip:900@${acme}>;party=calling`],
        ['P-Asserted-Identity', `"${evil}" <sip:900@${acme}>`],
        ['Referred-By', `"${evil}" <sip:900@${acme}>`],
      ],
    })

    for (const [number, callee] of [
      ['1002', colleague],
      ['0555', carrier],
    ] as const) {
      const call = await phone.dial(number)
      const status = await call.answered
      // A text that ends its own quotation makes a request that is none.
      expect([200, 400]).toContain(status)
      if (status === 400) continue
      const rung = await callee.ringing()
      const headers = rung.invite?.headers ?? []
      expect(headers.map(([name]) => name)).not.toContain('x-injected')
      expect(headers.filter(([name]) => ['from', 'contact', 'to'].includes(name)).map(([, value]) => value)).toEqual(
        expect.not.arrayContaining([expect.stringContaining('127.0.0.9')]),
      )
      await call.hangUp()
    }

    expect(existsSync(marker())).toBe(false)
    expect(harness().place.log()).not.toMatch(/EXECUTE.* system\(/)
  })
})
