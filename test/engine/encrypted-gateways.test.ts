/**
 * A carrier over TLS, at a real engine of the kit. The carrier is a second engine, with the phones of another domain.
 * Skipped without `FREESWITCH_BIN`.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { type Certificate, anIssuer } from '../support/engine/certificate.ts'
import { createTaken } from '../support/engine/gateway-taken.ts'
import { anEnginePlace, freeswitchBin, startKitEngine } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import type { SoundCall } from '../support/engine/sound-call.ts'
import { type SoundPhone, openSoundPhone } from '../support/engine/sound-phone.ts'
import { aWhile } from '../support/engine/sound-stream.ts'
import { planted } from '../support/invariants/secret-forms.ts'
import { runCommand } from '../support/platform/command.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, blue] = ['acme.example.com', 'blue.example.com']
const within = { timeout: 20_000, interval: 200 }
/** The tones that the phones of acme and of the carrier sing. */
const [ourTone, theirTone] = [500, 900]
const busy = 486
/** Where the carriers are. The engine compares it with the names (DNS) of their certificates. */
const host = '127.0.0.1'

describe.skipIf(freeswitchBin === undefined)('a carrier over TLS', () => {
  const harness = opened(async () => {
    const closing = new AsyncDisposableStack()
    const [issuer, stranger] = [anIssuer(), anIssuer()]
    for (const each of [issuer, stranger]) closing.defer(() => each.remove())
    /** Settings of an engine with a certificate of its own. */
    const withTls = async (name: string) => {
      const folder = mkdtempSync(join(tmpdir(), 'callplane-tls-'))
      closing.defer(() => rmSync(folder, { recursive: true, force: true }))
      const { chain, key } = issuer.sign(name, `DNS:${host}`)
      const env = { PATH: process.env['PATH'], TLS_FOLDER: folder, CA_FILE: issuer.file, EVENT_SOCKET_PORT: '1' }
      const written = await runCommand('sh', ['engine/bin/renew-certificate', chain, key], { cwd: process.cwd(), env })
      expect(written).toMatchObject({ status: 0 })
      const [TLS_PORT, GATEWAY_TLS_PORT] = [String(await freePort()), String(await freePort())]
      return { TLS: 'true', TLS_FOLDER: folder, TLS_PORT, GATEWAY_TLS_PORT, SRTP: 'optional' }
    }
    const kit = await aGatewayHarness(await withTls('engine'))
    closing.defer(() => kit.close())
    const [place, settings] = [await anEnginePlace(), await withTls('carrier')]
    closing.defer(() => place.remove())
    const carrier = await startKitEngine(place, {
      PLATFORM_URL: kit.platformUrl,
      ENGINE_CREDENTIAL: planted('credential'),
      ENGINE_NAME: 'carrier',
      ...settings,
    })
    closing.defer(() => carrier.stop())
    /** Opens a port that shows a certificate and keeps what is sent to it. */
    const impostor = async ({ chain, key }: Certificate) => {
      const server = createServer({ cert: readFileSync(chain), key: readFileSync(key) })
      const came = { connections: 0, text: '' }
      server.on('tlsClientError', () => void (came.connections += 1))
      server.on('secureConnection', (socket) => {
        came.connections += 1
        socket.on('error', () => {})
        socket.on('data', (bytes) => void (came.text += bytes.toString('latin1')))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      closing.defer(() => void server.close())
      return { port: (server.address() as AddressInfo).port, came }
    }
    return {
      ...kit,
      issuer,
      stranger,
      carrier,
      impostor,
      carrierPort: Number(settings.TLS_PORT),
      theirPhone: async (login: string) => {
        const options = { port: place.sipPort, login, domain: blue, password: tenantPassword(login) }
        const phone = await openSoundPhone(options)
        closing.defer(() => phone.close())
        return phone
      },
      close: () => closing.disposeAsync(),
    }
  })
  let admin: Client
  let [ours, theirs]: SoundPhone[] = []

  beforeAll(async () => {
    admin = await harness().platform.tenant(acme)
    const them = await harness().platform.tenant(blue)
    await them.call('createAccount', { body: { login: '1003', role: 'user', password: 'plain-1' } })
    ;[ours, theirs] = [await harness().soundPhone('1000', acme), await harness().theirPhone('1001')]
    expect([await ours.register(), await theirs.register()]).toEqual([200, 200])
  })

  const one = (phone: SoundPhone | undefined): SoundPhone => {
    if (phone === undefined) throw new Error('the phones are opened first')
    return phone
  }
  const dial = (name: string) => ({ bridge: { endpoints: [{ type: 'gateway', name, dialString: '1001' }] } })
  const route = (destination_number: string, callflow: unknown[]) =>
    admin.call('createDefaultRoute', { body: { destination_number, callflow } })
  /** What an engine knows of each leg of its calls. */
  const legs = async (variable: string) => {
    const { rows = [] } = JSON.parse(await harness().engine.api('show channels as json')) as {
      rows?: { uuid: string }[]
    }
    return Promise.all(rows.map(({ uuid }) => harness().engine.api(`uuid_getvar ${uuid} ${variable}`)))
  }
  /** Both sides sing and hear each other, in encrypted packets between the engines. */
  const talk = async (placed: SoundCall, rung: SoundCall, tones: readonly [number, number]) => {
    rung.answer()
    expect(await placed.answered).toBe(200)
    placed.sing(tones[0])
    rung.sing(tones[1])
    await Promise.all([placed.hear(aWhile, tones[1]), rung.hear(aWhile, tones[0])])
    expect((await legs('rtp_has_crypto')).filter((suite) => suite.startsWith('AE')).length).toBe(1)
    await placed.hangUp()
    await rung.ended
  }

  it('a gateway registers, and phones on both sides hear each other, whichever of them calls', async () => {
    await createTaken(
      { engine: harness().engine, client: admin, domain: acme },
      {
        name: 'carrier',
        realm: blue,
        proxy: `${host}:${harness().carrierPort}`,
        username: '1003',
        password: 'plain-1',
        transport: 'tls',
        srtp: 'required',
      },
    )
    const state = async () => (await admin.call('readGateway', { params: { gateway_name: 'carrier' } })).data.state
    await expect.poll(state, within).toBe('REGED')
    expect(await harness().carrier.api('sofia status profile phones reg')).toContain('transport=tls')
    await route('90', [dial('carrier')])
    await admin.call('createPublicRoute', {
      body: { destination_number: String.raw`gw\+${acme}_carrier`, callflow: [{ goto: '1000' }] },
    })

    const out = await one(ours).dial('90')
    await talk(out, await one(theirs).ringing(out), [ourTone, theirTone])

    const back = await one(theirs).dial('1003')
    await talk(back, await one(ours).ringing(back), [theirTone, ourTone])
  })

  it.each([
    { kind: 'an issuer that the engine does not know', number: '91', by: 'stranger', names: `DNS:${host}` },
    { kind: 'the name of another host', number: '92', by: 'issuer', names: 'DNS:other.example.net' },
    { kind: 'the host as an IP address only', number: '93', by: 'issuer', names: `IP:${host}` },
  ] as const)('nothing is sent to a carrier whose certificate has $kind, and the route goes on', async (carrier) => {
    const { number, by, names } = carrier
    const { port, came } = await harness().impostor(harness()[by].sign(`impostor-${number}`, names))
    const name = `impostor-${number}`
    const body = { name, proxy: `${host}:${port}`, register: false, networks: ['198.51.100.0/24'] }
    await createTaken({ engine: harness().engine, client: admin, domain: acme }, { ...body, transport: 'tls' })
    await route(number, [dial(name), { hangup: 'USER_BUSY' }])

    const call = await one(ours).dial(number)

    expect(await call.answered).toBe(busy)
    expect(came).toEqual({ connections: expect.any(Number), text: '' })
    expect(came.connections).toBeGreaterThan(0)
  })
})
