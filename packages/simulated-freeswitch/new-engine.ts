import { channelTable } from './calls/channel-table.ts'
import type { Engine } from './calls/engine.ts'
import { runExtension } from './calls/session.ts'
import { UserDirectory } from './directory/user-directory.ts'
import { eventBus, hostName } from './events/event-bus.ts'
import { Gateways } from './gateways/gateways.ts'
import { Phones } from './phones/phones.ts'
import { toByteText } from './runtime/byte-text.ts'
import { seededRandom } from './runtime/random.ts'
import { systemTimers } from './runtime/timers.ts'
import type { SimulatedEngineOptions } from './simulated-engine.ts'

/** Makes an engine without its event socket: its parts, before anything happens. `log` takes the lines of its log. */
export function newEngine(
  options: Omit<SimulatedEngineOptions, 'host' | 'port' | 'password'>,
  log: Engine['log'],
): Engine {
  const timers = options.timers ?? systemTimers
  const random = seededRandom(options.seed)
  const events = eventBus(timers, random)
  const { phoneBehaviour: behaviour } = options
  const directory = new UserDirectory(options.directory, timers)
  const channels: Engine['channels'] = new Map()
  const engine: Engine = {
    timers,
    random,
    events,
    directory,
    dialplan: options.dialplan,
    emergencyNumbers: new Set(options.emergencyNumbers),
    channels,
    log,
    phones: new Phones({ timers, random, events, directory, behaviour, profile: options.sipProfile ?? 'internal' }),
    ringsContact: options.ringsContact ?? (() => true),
    gateways: new Gateways({ timers, events, lookup: options.gateways }),
    channelTable: channelTable(timers, channels),
    recordingsDir: options.recordingsDir,
    managesPresence: options.managesPresence ?? true,
    globals: new Map([
      ['hostname', hostName],
      ['core_uuid', events.coreUuid],
      ['recordings_dir', toByteText(options.recordingsDir)],
      ['recordings_folder', toByteText(options.recordingsDir)],
      ['sounds_folder', '/var/lib/freeswitch/sounds'],
    ]),
    mailboxes: new Map(),
    sessions: { sinceStartup: 0, peak: 0 },
    startedAt: timers.now(),
    runExtension: (channel, target) => runExtension(engine, channel, target),
  }
  return engine
}
