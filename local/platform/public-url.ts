import { networkInterfaces } from 'node:os'

/** The addresses of a machine by interface, as far as they are needed. */
export type Networks = Readonly<
  Record<
    string,
    readonly { readonly address: string; readonly family: string; readonly internal: boolean }[] | undefined
  >
>

/**
 * Returns the API's base address as other machines use it, from the `host:port` that it listens on. One that listens on
 * all addresses is reached by the machine's first IPv4 address that is not the loopback address, or by that where there
 * is no other.
 */
export function publicUrl(address: string, networks: Networks = networkInterfaces()): string {
  const everywhere = /^(?:0\.0\.0\.0|\[::\]):/
  if (!everywhere.test(address)) return `http://${address}`
  const outer = Object.values(networks)
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)
  return `http://${address.replace(everywhere, `${outer?.address ?? '127.0.0.1'}:`)}`
}
