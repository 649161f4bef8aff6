/** Phones that encrypt at a real engine of the kit: TLS with SRTP, and a browser. Skipped without `FREESWITCH_BIN`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Browser } from 'playwright-core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { installedChromium, startBrowser } from '../support/browser/browser.ts'
import { type Certificate, anIssuer } from '../support/engine/certificate.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { type MediaPhone, type MediaPhoneOptions, openMediaPhone } from '../support/engine/media-phone.ts'
import { openBrowserMedia, openSrtpMedia } from '../support/engine/secure-media.ts'
import { type SipCredential, credentialOf } from '../support/engine/sip-message.ts'
import { openBrowserLine, openTlsLine } from '../support/engine/stream-line.ts'
import { runCommand } from '../support/platform/command.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, blue] = ['acme.example.com', 'blue.example.com']
const within = { timeout: 20_000, interval: 200 }
const names = 'DNS:localhost,IP:127.0.0.1'
const chromium = installedChromium()
/**
 * A browser of the test trusts its certificates, and has media on the loopback address, which it otherwise leaves out.
 */
const switches = [
  '--ignore-certificate-errors',
  '--allow-loopback-in-peer-connection',
  '--disable-features=WebRtcHideLocalIpsWithMdns',
  '--autoplay-policy=no-user-gesture-required',
]

describe.skipIf(freeswitchBin === undefined)('phones that encrypt', () => {
  const harness = opened(async () => {
    const issuer = anIssuer()
    const folder = mkdtempSync(join(tmpdir(), 'callplane-tls-'))
    const [tlsPort, wssPort] = [await freePort(), await freePort()]
    const settings = {
      SIP_IP: '127.0.0.1',
      TLS: 'true',
      TLS_FOLDER: folder,
      TLS_PORT: String(tlsPort),
      GATEWAY_TLS_PORT: String(await freePort()),
      WSS_BINDING: `127.0.0.1:${wssPort}`,
      SRTP: 'optional',
    }
    const renew = ({ chain, key }: Certificate, socketPort = 1) =>
      runCommand('sh', ['engine/bin/renew-certificate', chain, key], {
        cwd: process.cwd(),
        env: {
          PATH: process.env['PATH'],
          ...settings,
          CA_FILE: issuer.file,
          EVENT_SOCKET_PORT: String(socketPort),
          EVENT_SOCKET_PASSWORD: 'ClueCon',
        },
      })
    expect(await renew(issuer.sign('first', names))).toMatchObject({ status: 0 })
    const kit = await aKitHarness({ settings })
    await kit.platform.tenant(acme)
    await kit.platform.tenant(blue)
    const phones: MediaPhone[] = []
    let browser: Browser | undefined
    const phoneOf = async (
      login: string,
      more: Pick<MediaPhoneOptions, 'line' | 'media'>,
      claim: { domain?: string; credential?: SipCredential } = {},
    ) => {
      const phone = await openMediaPhone({ login, domain: acme, password: tenantPassword(login), ...more, ...claim })
      phones.push(phone)
      return phone
    }
    return {
      ...kit,
      issuer,
      renew: (certificate: Certificate) => renew(certificate, kit.place.socketPort),
      tlsPort,
      tlsPhone: (login: string, claim = {}) =>
        phoneOf(login, { line: (take) => openTlsLine(tlsPort, login, issuer.pem, take), media: openSrtpMedia }, claim),
      browserPhone: async (login: string, claim = {}) => {
        browser ??= await startBrowser(chromium ?? '', switches)
        const page = await browser.newPage({ ignoreHTTPSErrors: true })
        const media = () => openBrowserMedia(page, (isHeard) => vi.waitUntil(isHeard, within))
        return phoneOf(login, { line: (take) => openBrowserLine(page, wssPort, login, take), media }, claim)
      },
      close: async () => {
        for (const phone of phones) await phone.close()
        await browser?.close()
        await kit.close()
        issuer.remove()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  })
  // A phone that logs out stays registered for up to a minute more (docs/engine.md).
  afterEach(async () => {
    for (const login of ['1001', '1002'])
      await harness().engine.api(`sofia profile phones flush_inbound_reg ${login}=${acme}@${acme}`)
  })
  /** The certificate that an engine shows. */
  const shown = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: harness().tlsPort,
        servername: 'localhost',
        ca: harness().issuer.pem,
      })
      socket.on('error', reject)
      socket.on('secureConnect', () => {
        resolve(String(socket.getPeerCertificate().subject['CN']))
        socket.destroy()
      })
    })

  const kinds = [
    { kind: 'TLS', open: (login: string, claim = {}) => harness().tlsPhone(login, claim), isThere: true },
    {
      kind: 'a browser',
      open: (login: string, claim = {}) => harness().browserPhone(login, claim),
      isThere: chromium !== undefined,
    },
  ]

  describe.each(kinds)('by $kind', ({ open, isThere }) => {
    it.runIf(isThere)('a phone hears itself in the echo', async () => {
      const phone = await open('1001')
      expect(await phone.register()).toBe(200)

      const { call } = await phone.call('9196')
      await call?.media.sing(440)

      await call?.media.hear(440)
      await call?.hangUp()
      expect(await phone.register(0)).toBe(200)
    })

    it.runIf(isThere)('an encrypted phone and a plain one hear each other, whichever of them calls', async () => {
      const [phone, plain] = [await open('1001'), await harness().soundPhone('1002', acme)]
      expect([await phone.register(), await plain.register()]).toEqual([200, 200])

      const placed = phone.call('1002')
      const rung = await plain.ringing()
      rung.answer()
      const { call } = await placed
      rung.sing(900)
      await call?.media.sing(500)
      await Promise.all([call?.media.hear(900), rung.hear(25, 500)])
      await call?.hangUp()
      await rung.ended

      const back = await plain.call('1001')
      const own = await phone.ringing()
      back.sing(700)
      await own.media.sing(1_100)
      await Promise.all([own.media.hear(700), back.hear(25, 1_100)])
      await own.hangUp()
      await back.ended
    })

    it.runIf(isThere)('a stranger is refused as over UDP', async () => {
      const phone = await open('1001')
      const wrong = await open('1001', { credential: credentialOf('1001', acme, 'wrong') })
      const foreign = credentialOf('1002', acme, tenantPassword('1002'))
      const other = await open('1002', { domain: blue, credential: { ...foreign, realm: blue } })

      expect([await phone.bare('REGISTER', '1001'), await phone.bare('INVITE', '9196')]).toEqual([401, 407])
      expect([await wrong.register(), (await wrong.call('9196')).status]).toEqual([403, 403])
      expect([await other.register(), (await other.call('9196')).status]).toEqual([403, 403])
    })
  })

  it('a renewed certificate keeps a running call up and is shown to new connections', async () => {
    const phone = await harness().tlsPhone('1001')
    expect([await phone.register(), await shown()]).toEqual([200, 'first'])
    const { call } = await phone.call('9196')
    await call?.media.sing(440)
    await call?.media.hear(440)

    const { status, output } = await harness().renew(harness().issuer.sign('second', names))

    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringContaining('the engine serves the certificate'),
    })
    expect(await shown()).toBe('second')
    await call?.media.sing(800)
    await call?.media.hear(800)
    await call?.hangUp()
    expect(await phone.register()).toBe(200)
  })

  it('the log has no error', () => {
    expect(harness().errors()).toEqual([])
  })
})
