import { memoryPorts } from '../memory/memory-ports.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { channelList } from '../../../connector/calls/channel-list.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { CommandRunner } from '../../../connector/commands/command-runner.ts'
import { gatewayAligner } from '../../../connector/commands/apply-gateway.ts'
import { wantedGateways } from '../../../connector/commands/align-gateways.ts'
import type { CommandMessage } from '../../../contracts/messages/command.ts'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { anEavesdrop } from './command-message.ts'
import { ofCaller } from '../engine/leg-fields.ts'
import { manualTime, settle } from '../processes/manual-time.ts'
import { playedEngine } from '../engine/played-engine.ts'
import { aDomain } from '../records/records.ts'

/** The engine's answer to `uuid_dump … json`, as far as it decides anything. */
export const dumpOf = (uuid: string, domain: string, more: Readonly<Record<string, string>> = {}) =>
  JSON.stringify({ 'Unique-ID': uuid, 'Caller-Context': domain, 'Channel-Call-State': 'ACTIVE', ...more })

/** The settings of a runner that a test may change. */
export interface GivenRunner {
  readonly calls?: number
  readonly queue?: number
  readonly isUp?: boolean
  readonly wrapStore?: (store: CommandStore) => CommandStore
}

/** A runner over memory stores and a played engine that has the domains `a`, `b`, and `x.a.example.com`. */
export async function aRunner({ calls = 10, queue = 10, isUp = true, wrapStore = (store) => store }: GivenRunner = {}) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  for (const name of ['a.example.com', 'b.example.com', 'x.a.example.com'])
    await ports.domains.create(aDomain({ name }))
  const domains = domainNames(ports.domains, time.clock)
  const registry = new ChannelRegistry(domains)
  const engine = playedEngine('192.0.2.1:8021', { time, registry, domains })
  const { jobs } = engine
  const link = engine.engine.commands
  if (isUp) engine.up()
  const log = capturedLog()
  const make = (connectorId: string) =>
    new CommandRunner({
      ...time,
      engines: [engine],
      registry,
      aligner: gatewayAligner({ ...time, random: () => 0, wanted: wantedGateways(ports) }),
      channels: channelList({ engines: [engine], registry }),
      store: wrapStore(ports.commands),
      accounts: ports.accounts,
      limits: { calls: { places: calls, queue }, orders: { places: 10, queue }, lists: { places: 10, queue } },
      connectorId,
      random: () => 0,
      log,
    })
  const runner = make('connector-1')

  /** Records a command as an endpoint does, and has it run. */
  const run = async (message: CommandMessage, by = runner) => {
    await ports.commands.create(message)
    await by.run(JSON.stringify(message))
    await settle()
  }
  const outcome = async ({ id }: CommandMessage) => (await ports.commands.read(id))?.outcome
  const fieldsOf = (domain: string, account: string): Readonly<Record<string, string>> => ({
    'Caller-Context': domain,
    variable_uuid: 'any',
    ...(account === '' ? {} : ofCaller(account)),
  })
  const channel = (uuid: string, domain: string, presenceId = '') =>
    registry.learn(uuid, (name) => fieldsOf(domain, presenceId)[name], '192.0.2.1:8021')
  return { time, ports, registry, jobs, link, log, runner, make, run, outcome, channel }
}

/** The orders to one channel, by their kind. */
export function orderTo(uuid: string) {
  return {
    hold: { kind: 'hold', uuid },
    unhold: { kind: 'unhold', uuid },
    hangup: { kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' },
    eavesdrop: anEavesdrop({ target: uuid }),
  } as const
}
