import type { Extension } from './engine.ts'
import type { Header, HeaderValue } from '../events/engine-event.ts'
import { PressedKeys } from './pressed-keys.ts'
import { type CallerProfile, type ChannelTimes, profileHeaders } from './caller-profile.ts'

/** The engine's name of the running state of a channel. */
export type ChannelState =
  | 'CS_NONE'
  | 'CS_NEW'
  | 'CS_INIT'
  | 'CS_ROUTING'
  | 'CS_CONSUME_MEDIA'
  | 'CS_EXECUTE'
  | 'CS_EXCHANGE_MEDIA'
  | 'CS_HANGUP'
  | 'CS_REPORTING'
  | 'CS_DESTROY'

/** The call state, with the number that the engine shows for it. */
export const callStates = { DOWN: 0, RINGING: 2, ACTIVE: 4, HELD: 5, RING_WAIT: 6, HANGUP: 7, UNHELD: 8 } as const

/** See {@link callStates}. */
export type CallState = keyof typeof callStates

/** The leg that a channel is connected to, as it was when they met. */
export interface OtherLeg {
  readonly type: 'originator' | 'originatee'
  readonly profile: CallerProfile
  readonly times: ChannelTimes
}

/** A codec as the engine shows it. */
export interface Codec {
  readonly name: string
  readonly bitRate: string
}

/** The inputs of a new channel. */
export interface ChannelInit {
  readonly kind: 'sofia' | 'loopback'
  readonly profile: CallerProfile
  readonly times: ChannelTimes
}

/** One leg of a call. Its flow is driven from outside; it only keeps what events and commands show. */
export class Channel {
  readonly kind: 'sofia' | 'loopback'
  readonly uuid: string
  readonly name: string
  /** The profile that the channel was made with; a changed one is a new object. */
  readonly initialProfile: Readonly<CallerProfile>
  profile: Readonly<CallerProfile>
  readonly times: ChannelTimes
  otherLeg: OtherLeg | undefined
  readonly variables = new Map<string, HeaderValue>()
  running: ChannelState = 'CS_NONE'
  /** The number of the state that was set, which is ahead of the running one in some events. */
  stateNumber = 1
  callState: CallState = 'DOWN'
  answerState: 'ringing' | 'answered' | 'hangup' = 'ringing'
  hitDialplan: boolean
  presenceId: string | undefined
  callUuid: string
  hangupCause: string | undefined
  readCodec: Codec | undefined
  writeCodec: Codec | undefined
  /** A channel has no profile in its very first events. */
  hasProfile = true
  application: { readonly name: string; readonly data: string } | undefined
  presenceEvents = 0
  held = false
  /** The music that the channel hears while its partner has it on hold; `since` in epoch milliseconds. */
  music: { readonly uuid: string; readonly since: number } | undefined
  /** Pairs of hold and resume, newest first, epoch microseconds. */
  holds: [number, number][] = []
  transfer: Extension | undefined
  recording: { readonly path: string; stop(cause: string): void } | undefined
  readonly keys = new PressedKeys()
  readonly #interrupts = new Set<() => void>()

  constructor({ kind, profile, times }: ChannelInit) {
    this.kind = kind
    this.uuid = profile.uniqueId
    this.name = profile.channelName
    this.callUuid = profile.uniqueId
    this.profile = profile
    this.times = times
    this.hitDialplan = profile.direction === 'inbound'
    this.initialProfile = profile
  }

  /** Whether the channel is not hung up. Commands see only such channels. */
  get up(): boolean {
    return this.hangupCause === undefined
  }

  /** Sets variables in the order given; an empty text removes one. */
  set(variables: Readonly<Record<string, HeaderValue>>): void {
    for (const [name, value] of Object.entries(variables)) {
      if (value === '') this.variables.delete(name)
      else this.variables.set(name, value)
    }
  }

  text(name: string): string {
    const value = this.variables.get(name)
    return typeof value === 'string' ? value : (value?.[0] ?? '')
  }

  /** Calls `run` once at the next interruption: a hang-up, or a transfer away from what runs. */
  onInterrupt(run: () => void): () => void {
    this.#interrupts.add(run)
    return () => this.#interrupts.delete(run)
  }

  interrupt(): void {
    const waiting = [...this.#interrupts]
    this.#interrupts.clear()
    for (const run of waiting) run()
  }

  /** The headers that every event of the channel has, in the engine's order. */
  headers(): Header[] {
    const headers: Header[] = [
      ['Channel-State', this.running],
      ['Channel-Call-State', this.callState],
      ['Channel-State-Number', `${this.stateNumber}`],
      ['Channel-Name', this.name],
      ['Unique-ID', this.uuid],
      ['Call-Direction', this.profile.direction],
      ['Presence-Call-Direction', this.profile.direction],
      ['Channel-HIT-Dialplan', `${this.hitDialplan}`],
    ]
    if (this.presenceId !== undefined) headers.push(['Channel-Presence-ID', this.presenceId])
    headers.push(['Channel-Call-UUID', this.callUuid], ['Answer-State', this.answerState])
    if (this.hangupCause !== undefined) headers.push(['Hangup-Cause', this.hangupCause])
    headers.push(...codecHeaders('Read', this.readCodec), ...codecHeaders('Write', this.writeCodec))
    if (this.hasProfile) headers.push(...profileHeaders('Caller', this.profile, this.times))
    const other = this.otherLeg
    if (other === undefined) return headers
    return [...headers, ['Other-Type', other.type], ...profileHeaders('Other-Leg', other.profile, other.times)]
  }

  /** `variable_…` headers, which only the larger events have. */
  variableHeaders(): Header[] {
    return [...this.variables].map(([name, value]): Header => [`variable_${name}`, value])
  }
}

function codecHeaders(side: 'Read' | 'Write', codec: Codec | undefined): Header[] {
  if (codec === undefined) return []
  return [
    [`Channel-${side}-Codec-Name`, codec.name],
    [`Channel-${side}-Codec-Rate`, '8000'],
    [`Channel-${side}-Codec-Bit-Rate`, codec.bitRate],
  ]
}
