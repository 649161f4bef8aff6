import { vi } from 'vitest'
import type { Client, Input } from '../../../client/index.ts'
import type { KitEngine } from './kit-engine.ts'

/** The body of a gateway that does not register, to a provider at an address of the loopback. */
export function trunkTo(
  provider: { readonly address: string; readonly ip: string },
  name: string,
  more: Partial<Input<'createGateway'>['body']> = {},
): Input<'createGateway'>['body'] {
  const { address: proxy, ip: realm } = provider
  return { name, proxy, realm, register: false, networks: [`${realm}/32`], ...more }
}

/** Creates a gateway of a domain, and resolves when the engine has taken it; rejects after 15 seconds. */
export async function createTaken(
  { engine, client, domain }: { readonly engine: KitEngine; readonly client: Client; readonly domain: string },
  body: Input<'createGateway'>['body'],
): Promise<void> {
  await client.call('createGateway', { body })
  const isTaken = async () =>
    /State\s+(?:NOREG|REGED)/.test(await engine.api(`sofia status gateway ${domain}_${body.name}`))
  await vi.waitUntil(isTaken, { timeout: 15_000, interval: 200 })
}
