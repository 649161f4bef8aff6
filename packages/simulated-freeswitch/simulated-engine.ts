import { toByteText } from './runtime/byte-text.ts'
import { hangUp, liveChannel } from './calls/flow.ts'
import { causeNamed } from './calls/hangup-cause.ts'
import { type PhoneCall, callFromPhone } from './calls/phone-call.ts'
import { runApi } from './commands/run-api.ts'
import type { XmlLookup } from './lookups/xml-lookup.ts'
import type { Engine } from './calls/engine.ts'
import { newEngine } from './new-engine.ts'
import { startHeartbeat } from './heartbeat.ts'
import type { PhoneBehaviour } from './phones/phones.ts'
import { type EventSocket, openEventSocket } from './socket/server.ts'
import type { EngineTimers } from './runtime/timers.ts'

/** How a simulated engine is made. */
export interface SimulatedEngineOptions {
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly password: string
  readonly directory: XmlLookup
  /** Gives calls their routes; without it, or when it gives none, a call is handled by the engine's own dial plan. */
  readonly dialplan?: XmlLookup | undefined
  /** The source of the gateways of the SIP profile `external`; without it there is no such profile. */
  readonly gateways?: XmlLookup | undefined
  /** The same seed gives the same uuids and ports. */
  readonly seed: number
  readonly timers?: EngineTimers
  /** Absolute path of the folder for recordings; nothing is written anywhere else. */
  readonly recordingsDir: string
  /** The reaction of a phone that is rung; by default it answers after 200 ms. */
  readonly phoneBehaviour?: (login: string, domain: string) => PhoneBehaviour
  /** Whether a contact with parameters, `sip:<login>@<address>;<parameters>`, is rung; by default all are. */
  readonly ringsContact?: (contact: string) => boolean
  readonly managesPresence?: boolean
  /** Events that may wait for one client: 100 000, as in the engine. */
  readonly maxQueuedEvents?: number
  /** Numbers that the engine's own dial plan gives no account; none where left out. */
  readonly emergencyNumbers?: readonly string[]
  /** The name of the engine's SIP profile; `internal` if absent. */
  readonly sipProfile?: string
}

/** A running simulated engine. */
export interface SimulatedEngine {
  readonly port: number
  /**
   * Registers a user's phone; `false` when the directory does not know the user. `parameters` are those of its contact,
   * such as `;line=1`.
   */
  registerPhone(login: string, domain: string, parameters?: string): Promise<boolean>
  /** Takes a phone's registration back; `false` when it has none. */
  unregisterPhone(login: string, domain: string): boolean
  /** Lets a registered phone place a call; returns its uuid, or nothing when the phone is not registered. */
  placeCall(login: string, domain: string, call: PhoneCall): string | undefined
  close(): Promise<void>
}

/**
 * Starts a FreeSWITCH event socket with simulated phones; tests compare it with recordings of a real one. Rejects with
 * the original error, such as `EADDRINUSE`, when the port is not available.
 */
export async function startSimulatedEngine(options: SimulatedEngineOptions): Promise<SimulatedEngine> {
  const sockets: EventSocket[] = []
  const engine = newEngine(options, (line) => sockets[0]?.log(line))
  const socket = await openEventSocket({
    host: options.host ?? '127.0.0.1',
    port: options.port,
    timers: engine.timers,
    maxQueuedEvents: options.maxQueuedEvents ?? 100_000,
    services: {
      password: toByteText(options.password),
      events: engine.events,
      random: engine.random,
      runApi: (line) => runApi(engine, line),
      hasChannel: (uuid) => liveChannel(engine, uuid) !== undefined,
      hangUp: (uuid, cause) => {
        const channel = liveChannel(engine, uuid)
        if (channel !== undefined) hangUp(engine, channel, causeNamed(cause))
      },
      reloadModule: () => reloadModule(engine, () => sockets[0]?.dropAll()),
    },
  })
  sockets.push(socket)
  void engine.gateways.rescan()
  const stopHeartbeat = startHeartbeat(engine)
  return {
    port: socket.port,
    registerPhone: (login, domain, parameters) =>
      engine.phones.register(toByteText(login), toByteText(domain), undefined, parameters),
    unregisterPhone: (login, domain) => engine.phones.unregister(toByteText(login), toByteText(domain)),
    placeCall: (login, domain, call) => {
      const contact = engine.phones.find(toByteText(login), toByteText(domain))
      return contact === undefined ? undefined : callFromPhone(engine, contact, inBytes(call))
    },
    close: async () => {
      stopHeartbeat()
      engine.phones.close()
      engine.gateways.close()
      for (const channel of engine.channels.values()) hangUp(engine, channel, 'MANAGER_REQUEST')
      await socket.close()
    },
  }
}

function inBytes({ to, from, headers = {} }: PhoneCall): PhoneCall {
  const pairs = Object.entries(headers).map(([name, value]) => [toByteText(name), toByteText(value)])
  return { to: toByteText(to), from: from && toByteText(from), headers: Object.fromEntries(pairs) }
}

/** The clients that listen hear the command first; everybody is cut once the sender has its answer. */
function reloadModule(engine: Engine, dropAll: () => void): void {
  engine.events.fire({
    name: 'API',
    place: ['switch_loadable_module.c', 'switch_api_execute', 2954],
    headers: [
      ['API-Command', 'bgapi'],
      ['API-Command-Argument', 'reload mod_event_socket'],
    ],
  })
  setImmediate(dropAll)
}
