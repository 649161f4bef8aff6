/** A simulated engine without its socket, whose gateways come from stores in memory. */
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { gatewayAligner } from '../../../connector/commands/apply-gateway.ts'
import { wantedGateways } from '../../../connector/commands/align-gateways.ts'
import { type Gateway, gatewayRevision } from '../../../core/gateways/gateway.ts'
import { sealPassword } from '../../../core/gateways/create-gateway.ts'
import { serveGateways } from '../../../core/gateways/serve-gateways.ts'
import { writeGatewaysXml } from '../../../functions/engine/write-gateways-xml.ts'
import { runApi } from '../../../packages/simulated-freeswitch/commands/run-api.ts'
import { newEngine } from '../../../packages/simulated-freeswitch/new-engine.ts'
import type { XmlLookup } from '@callplane/simulated-freeswitch'
import { memoryPorts } from '../memory/memory-ports.ts'
import { manualTime } from '../processes/manual-time.ts'
import { aDomain, aGateway } from '../records/records.ts'

/** The domain of {@link gatewayEngine}. */
export const domain = 'a.example.com'

/**
 * Gives an engine with the domain {@link domain}, which has no gateway yet. `hold` may delay an answer of the platform.
 */
export async function gatewayEngine(hold: (answer: string) => Promise<string> = async (answer) => answer) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: domain }))
  const serving = { ...ports, isPermitted: async () => true }
  const lookup: XmlLookup = async ({ profile = '' }) =>
    hold(writeGatewaysXml(await serveGateways(serving, profile, { report: () => {}, codecs: ['PCMU', 'PCMA'] })))
  const options = { directory: lookup, gateways: lookup, seed: 1, timers: time.timers, recordingsDir: '/nowhere' }
  const engine = newEngine(options, () => {})
  const lines: string[] = []
  const link = {
    api: async (line: string) => {
      lines.push(line)
      return runApi(engine, line)
    },
  }
  const aligner = () => gatewayAligner({ ...time, random: () => 0, wanted: wantedGateways(ports) })

  /** Creates a gateway, or writes its next version. */
  const write = async (name: string, given: Partial<Gateway> = {}, password = 'secret') => {
    const before = await ports.gateways.read(domain, name)
    const sealedPassword = await sealPassword(ports.secretBox, { domain, name }, password)
    const created = { createdAt: time.clock.now(), version: 0, ...before }
    const gateway = aGateway({ ...created, ...given, domain, name, sealedPassword, version: created.version + 1 })
    if (before === undefined) await ports.gateways.create(gateway, 100)
    else await ports.gateways.replace(gateway)
    return gateway
  }

  return {
    time,
    ports,
    engine,
    link,
    write,
    aligner,
    /** The lines that change or ask for something, without what they have in common. */
    orders: () =>
      lines
        .filter((line) => line.startsWith('sofia profile'))
        .map((line) => line.replace('sofia profile external ', '').replace(`${domain}_`, '')),
    forgetOrders: () => void lines.splice(0),
    /** Whether the engine has a gateway exactly as it is stored. */
    hasCurrent: async (name: string) => {
      const stored = await ports.gateways.read(domain, name)
      const kept = engine.gateways.find(`${domain}_${name}`)?.inbound.get('svc_gateway_revision')
      return stored !== undefined && kept === gatewayRevision(stored)
    },
  }
}
