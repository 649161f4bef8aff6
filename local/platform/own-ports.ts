import type { EngineAddress } from '../../connector/runtime/engine.ts'

/** Names and addresses of this machine, as `URL` spells them. */
const thisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Returns the ports that hooks must not reach although the loopback address is open to them, comma-separated: those of
 * the event sockets, and of the addresses in `urls` that are on this machine. What listens there trusts every process
 * of the machine.
 */
export function ownPorts(engines: readonly Pick<EngineAddress, 'port'>[], urls: readonly string[]): string {
  const local = urls.map((text) => new URL(text)).filter(({ hostname }) => thisMachine.test(hostname))
  return [...new Set([...engines.map(({ port }) => String(port)), ...local.map(portOf)])].join(',')
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port
  return protocol === 'https:' ? '443' : '80'
}
