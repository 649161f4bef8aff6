/** The platform with a real engine of the kit, and phones. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { type EnginePlace, type KitEngine, anEnginePlace, kitConfiguration, startKitEngine } from './kit-engine.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../platform/platform.ts'
import { planted } from '../invariants/secret-forms.ts'
import { type PhoneOptions, type SipPhone, openSipPhone } from './sip-phone.ts'
import { type SoundPhone, type SoundPhoneOptions, openSoundPhone } from './sound-phone.ts'

/** A platform and its engine; a test may stop and start either. */
export interface KitHarness {
  readonly place: EnginePlace
  readonly platformUrl: string
  platform: TestPlatform
  engine: KitEngine
  startPlatform(): Promise<TestPlatform>
  startEngine(): Promise<KitEngine>
  /** Errors in the log of the engine, without its first lookup of gateways: it makes that before the platform is up. */
  errors(): string[]
  /** A phone of an account of {@link TestPlatform.tenant}; closed with the lab. */
  phone(login: string, domain: string, options?: Partial<PhoneOptions>): Promise<SipPhone>
  /** The same with sound in both directions. */
  soundPhone(login: string, domain: string, options?: Partial<SoundPhoneOptions>): Promise<SoundPhone>
  close(): Promise<void>
}

/** The differences from a kit as it is installed. */
export interface KitHarnessOptions {
  /** Settings of the kit. */
  readonly settings?: Readonly<Record<string, string>>
  /** Returns the port where the platform reaches the event socket, which is at this one. */
  readonly socketPort?: (port: number) => Promise<number>
  /** Writes a changed copy of the kit's configuration into a folder of the engine and returns where it is. */
  readonly change?: (kit: string, folder: string) => string
  /** Settings of the platform. */
  readonly platform?: Readonly<Record<string, string>>
  /** Whether the platform stores what is in the engine's folder of recordings. */
  readonly sharesRecordings?: boolean
}

/** Starts both. */
export async function aKitHarness(options: KitHarnessOptions = {}): Promise<KitHarness> {
  const { settings = {}, socketPort, change = (kit) => kit, platform = {}, sharesRecordings = true } = options
  const place = await anEnginePlace()
  const configuration = change(kitConfiguration, place.folder)
  const dataDir = mkdtempSync(join(tmpdir(), 'callplane-kit-data-'))
  const port = await freePort()
  const reached = (await socketPort?.(place.socketPort)) ?? place.socketPort
  const platformUrl = `http://127.0.0.1:${port}`
  const credential = planted('credential')
  const startPlatform = () =>
    aPlatform(
      {
        PORT: String(port),
        ENGINE_CREDENTIAL: credential,
        ENGINE_URL: `esl://:ClueCon@127.0.0.1:${reached}`,
        ...(sharesRecordings ? { RECORDINGS_DIR: place.recordings } : {}),
        ...platform,
      },
      dataDir,
    )
  const startEngine = () =>
    startKitEngine(place, { PLATFORM_URL: platformUrl, ENGINE_CREDENTIAL: credential, ...settings }, configuration)
  const engine = await startEngine()
  const phones: (SipPhone | SoundPhone)[] = []
  const of = (login: string, domain: string) => ({
    port: place.sipPort,
    login,
    domain,
    password: tenantPassword(login),
  })
  const kept = <Phone extends SipPhone | SoundPhone>(phone: Phone): Phone => {
    phones.push(phone)
    return phone
  }
  const harness: KitHarness = {
    place,
    platformUrl,
    engine,
    platform: await startPlatform(),
    startPlatform,
    startEngine,
    errors: () => {
      const lookup = `Received HTTP error 0 trying to fetch ${platformUrl}/engine/directory`
      const all = place.errors()
      const early = all.findIndex((line) => line.includes(lookup))
      return all.filter((_line, index) => index !== early)
    },
    phone: async (login, domain, options = {}) => kept(await openSipPhone({ ...of(login, domain), ...options })),
    soundPhone: async (login, domain, options = {}) => kept(await openSoundPhone({ ...of(login, domain), ...options })),
    close: async () => {
      for (const phone of phones) await phone.close()
      // Its folder goes as well. An engine that has sent messages to phones would take 75 s to end by itself.
      await harness.engine.stop('SIGKILL')
      await harness.platform.close()
      place.remove()
    },
  }
  return harness
}

/**
 * Starts both for gateways whose other side is on the loopback network, with the port of the engine's profile of
 * gateways.
 */
export async function aGatewayHarness(
  settings: Readonly<Record<string, string>> = {},
  platform: Readonly<Record<string, string>> = {},
): Promise<KitHarness & { readonly gatewayPort: number }> {
  const gatewayPort = await freePort()
  const harness = await aKitHarness({
    settings: { ...settings, GATEWAY_SIP_PORT: String(gatewayPort) },
    platform: { HOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...platform },
    sharesRecordings: false,
  })
  return Object.assign(harness, { gatewayPort })
}
