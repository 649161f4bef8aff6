/** A whole platform for end-to-end tests: its parts run as `npm start` runs them, with state and ports of their own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../../../client/index.ts'
import { clientOf } from './checked-client.ts'
import { type Receiver, openReceiver } from '../../../local/demo/receiver.ts'
import { type Platform, startPlatform } from '../../../local/platform/start-platform.ts'
import { readSettings } from '../../../local/settings/settings.ts'
import { type Machine, thisMachine } from '../../../packages/laptop/stores/dynamo-program/dynoxide.ts'
import { type EngineSocket, openEngineSocket } from '../engine/engine-socket.ts'
import { filesBelow, markedIn, planted } from '../invariants/secret-forms.ts'

/** The platform of one test file. */
export interface TestPlatform {
  readonly platform: Platform
  readonly url: string
  readonly dataDir: string
  /** A user's client, by a login of its own. */
  logIn(username: string, password: string): Promise<Client>
  root(): Promise<Client>
  /**
   * Makes a domain with an admin `1000` and users `1001`, `1002`; every password is {@link tenantPassword} of the
   * login.
   */
  tenant(domain: string): Promise<Client>
  /** An event socket of the test's own at the simulated engine. */
  engine(): Promise<EngineSocket>
  /** A receiver of hooks, closed with the platform. */
  receiver(): Promise<Receiver>
  /**
   * Waits until the connector knows all hooks made so far: sends events of a name that one more hook of the domain
   * wants until one arrives.
   */
  hooksInForce(client: Client, domain: string): Promise<void>
  /** Ends the platform and keeps its state, for another start. */
  stop(): Promise<void>
  /** Ends everything and removes the state; throws when a secret of the tests stands in it or in the logs. */
  close(): Promise<void>
}

/** Secrets that the platform does not keep, so that whatever it keeps and logs must be without the marker. */
const givenSecrets = { ROOT_PASSWORD: planted('root'), ENGINE_CREDENTIAL: planted('engine') }

/** The password that {@link TestPlatform.tenant} gives. */
export const tenantPassword = (login: string) => planted(`secret of ${login}`)

/**
 * Starts a platform on free ports; on the state of an earlier one where its folder is given. `notice` gets the lines
 * that a person at the terminal would see of engines. Its embedded DynamoDB is that of `machine`.
 */
export async function aPlatform(
  env: Readonly<Record<string, string>> = {},
  dataDir = mkdtempSync(join(tmpdir(), 'callplane-e2e-')),
  notice: (line: string) => void = () => {},
  machine: Machine = thisMachine,
): Promise<TestPlatform> {
  const platform = await startPlatform({
    root: process.cwd(),
    settings: readSettings({ PORT: '0', ENGINE_PORT: '0', DATA_DIR: dataDir, ...givenSecrets, ...env }),
    progress: () => {},
    notice,
    signal: new AbortController().signal,
    machine,
  })
  const { url } = platform
  await using opened = new AsyncDisposableStack()
  const closing = opened.move()
  const as = async (username: string, password: string) =>
    clientOf(url, await clientOf(url).call('logIn', { body: { username, password } }))
  const root = () => as('root', platform.kept.rootPassword)
  const engine = async () => {
    const socket = await openEngineSocket(platform.engine?.port ?? 0)
    closing.defer(() => socket.close())
    return socket
  }
  const receiver = async () => {
    const opened = await openReceiver()
    closing.defer(() => opened.close())
    return opened
  }
  const stop = async () => {
    await closing.disposeAsync()
    await platform.stop()
  }
  return {
    platform,
    url,
    dataDir,
    logIn: as,
    root,
    engine,
    receiver,
    tenant: async (domain) => {
      const client = await root()
      await client.call('createDomain', { body: { domain_name: domain, customer_id: 'test' } })
      for (const [login, role] of [
        ['1000', 'admin'],
        ['1001', 'user'],
        ['1002', 'user'],
      ] as const) {
        await client.call('createAccount', {
          query: { domain },
          body: { login, role, password: tenantPassword(login) },
        })
        await platform.engine?.registerPhone(login, domain)
      }
      return as(`1000@${domain}`, tenantPassword('1000'))
    },
    hooksInForce: async (client, domain) => {
      const [socket, probe] = await Promise.all([engine(), receiver()])
      const subclass = `engine::probe_${Math.random().toString(36).slice(2)}`
      const event = `CUSTOM->${subclass}`
      await client.call('createHooks', {
        query: { domain },
        body: { event, action: { type: 'web', method: 'POST', url: probe.url } },
      })
      const arrived = probe.next(event)
      const resend = setInterval(() => socket.sendEvent(subclass, domain), 50)
      await arrived.finally(() => clearInterval(resend))
    },
    stop,
    close: async () => {
      await stop()
      const shown = [...filesBelow(dataDir)].filter(([, bytes]) => markedIn(bytes).length > 0).map(([path]) => path)
      rmSync(dataDir, { recursive: true, force: true })
      if (shown.length > 0) throw new Error(`the platform wrote a secret: ${shown.join(', ')}`)
    },
  }
}
