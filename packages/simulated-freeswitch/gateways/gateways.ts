import type { EngineTimers } from '../runtime/timers.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { XmlLookup } from '../lookups/xml-lookup.ts'
import { type RegisterAnswer, fireAdd, fireDelete, fireState } from './gateway-events.ts'
import { type ServedGateway, askGateways } from './served-gateways.ts'

/** The states that gateways of the simulated engine have; the real one has a few more. */
export type SimulatedState =
  | 'UNREGED'
  | 'TRYING'
  | 'REGISTER'
  | 'REGED'
  | 'UNREGISTER'
  | 'FAILED'
  | 'FAIL_WAIT'
  | 'NOREG'
  | 'DOWN'

/** A gateway of the engine. */
export interface SimulatedGateway extends ServedGateway {
  state: SimulatedState
  status: 'UP' | 'DOWN'
  /** It is listed until a tick removes it, and no longer found by its name. */
  isDeleted: boolean
  wasAnswered: boolean
  failures: number
  retryAt: number
}

/** The engine looks after its gateways once a second. */
const tickMs = 1_000

const answerMs = 50

/** There is no other side: every password is accepted but this one. */
const wrongPassword = 'wrong'

/** The inputs of the gateways. */
export interface GatewaysOptions {
  readonly timers: EngineTimers
  readonly events: EventBus
  /** The source of gateways; without it the engine has no SIP profile for them. */
  readonly lookup: XmlLookup | undefined
}

/** The SIP profile of gateways, with the gateways that the lookup serves. */
export class Gateways {
  readonly profile = 'external'
  readonly #options: GatewaysOptions
  #all: readonly SimulatedGateway[] = []
  #cancelTick: (() => void) | undefined
  readonly #answers = new Set<() => void>()

  constructor(options: GatewaysOptions) {
    this.#options = options
  }

  get isThere(): boolean {
    return this.#options.lookup !== undefined
  }

  /** Every gateway that the engine lists, the newest first; those that are being removed included. */
  list(): readonly SimulatedGateway[] {
    return this.#all
  }

  find(name: string): SimulatedGateway | undefined {
    return this.#all.find((gateway) => gateway.name === name && !gateway.isDeleted)
  }

  /**
   * Asks for all gateways, and takes those that it does not have. One that exists stays as it is, as do all when the
   * lookup fails.
   */
  async rescan(): Promise<void> {
    const { lookup, events, timers } = this.#options
    const served = lookup === undefined ? [] : await askGateways(lookup, this.profile).catch(() => [])
    for (const one of served.filter(({ name }) => this.find(name) === undefined)) {
      const registers = one.parameters.get('register') === 'true'
      this.#all = [
        {
          ...one,
          state: registers ? 'UNREGED' : 'NOREG',
          status: registers ? 'DOWN' : 'UP',
          isDeleted: false,
          wasAnswered: false,
          failures: 0,
          retryAt: timers.now(),
        },
        ...this.#all,
      ]
      fireAdd(events, one.name, this.profile)
    }
    this.#tickLater()
  }

  /** Marks a gateway for removal; `false` when there is none of this name. */
  kill(name: string): boolean {
    const gateway = this.find(name)
    if (gateway === undefined) return false
    gateway.isDeleted = true
    if (gateway.state !== 'NOREG') gateway.state = 'UNREGISTER'
    this.#tickLater()
    return true
  }

  close(): void {
    this.#cancelTick?.()
    for (const cancel of this.#answers) cancel()
  }

  #tickLater(): void {
    const mayChange = ({ state, isDeleted }: SimulatedGateway) => isDeleted || (state !== 'REGED' && state !== 'NOREG')
    if (this.#cancelTick !== undefined || !this.#all.some(mayChange)) return
    this.#cancelTick = this.#options.timers.after(tickMs, () => {
      this.#cancelTick = undefined
      for (const gateway of this.#all) this.#tick(gateway)
      this.#tickLater()
    })
  }

  #tick(gateway: SimulatedGateway): void {
    const { state, isDeleted } = gateway
    if (isDeleted && (state === 'NOREG' || state === 'DOWN')) {
      this.#all = this.#all.filter((one) => one !== gateway)
      fireDelete(this.#options.events, gateway.name, this.profile)
    } else if (state === 'UNREGISTER') this.#become(gateway, 'DOWN')
    else if (state === 'UNREGED') this.#register(gateway)
    else if (state === 'REGISTER') this.#become(gateway, 'REGED')
    else if (state === 'FAILED') this.#waitAfterFailure(gateway)
    else if (state === 'FAIL_WAIT' && gateway.retryAt <= this.#options.timers.now()) this.#become(gateway, 'UNREGED')
  }

  #register(gateway: SimulatedGateway): void {
    this.#become(gateway, 'TRYING')
    const isWrong = gateway.parameters.get('password') === wrongPassword
    const cancel = this.#options.timers.after(answerMs, () => {
      this.#answers.delete(cancel)
      if (gateway.isDeleted) return
      gateway.wasAnswered = true
      if (isWrong) this.#become(gateway, 'FAILED', { status: '403', phrase: 'Forbidden' })
      else this.#become(gateway, 'REGISTER', { status: '200', phrase: 'OK' })
    })
    this.#answers.add(cancel)
  }

  /** The engine waits longer after each failure. */
  #waitAfterFailure(gateway: SimulatedGateway): void {
    gateway.failures += 1
    const seconds = Number(gateway.parameters.get('retry-seconds') ?? 30) * gateway.failures
    gateway.retryAt = this.#options.timers.now() + seconds * 1_000
    this.#become(gateway, 'FAIL_WAIT')
  }

  #become(gateway: SimulatedGateway, state: SimulatedState, answer?: RegisterAnswer): void {
    gateway.state = state
    gateway.status = state === 'REGED' ? 'UP' : 'DOWN'
    if (state === 'REGED') gateway.failures = 0
    fireState(this.#options.events, gateway, answer)
  }
}
