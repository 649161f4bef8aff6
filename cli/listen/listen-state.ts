import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { CliError } from '../failure/exit.ts'
import { readPrivateFile, writePrivateFile } from '../profile/private-file.ts'

/** The secret and the positions that `listen` keeps for a profile. */
export interface ListenState {
  /** Signs what is forwarded: `whsec_` and base64, as the secret of a hook. */
  readonly secret: string
  /** The number of the last event that was handled, for each platform, domain and target; the latest used last. */
  readonly positions: Readonly<Record<string, number>>
}

/** As many targets as anybody has; older ones are forgotten. */
const mostPositions = 50

/** The file of what `listen` remembers of a profile. Several processes may share it, each for its own target. */
export class ListenStore {
  readonly #file: string
  #state: ListenState

  constructor(folder: string, profile: string) {
    this.#file = join(folder, 'listen', `${profile}.json`)
    this.#state = this.#read() ?? { secret: newSecret(), positions: {} }
  }

  get secret(): string {
    return this.#state.secret
  }

  position(key: string): number | undefined {
    return this.#state.positions[key]
  }

  /**
   * Keeps the number of the last event that was handled. It is on the disk when this returns. The file is read first,
   * so that the positions of other processes stay.
   */
  advance(key: string, sequence: number): void {
    const { secret, positions } = this.#read() ?? this.#state
    const { [key]: _, ...others } = positions
    const kept = Object.entries(others).slice(1 - mostPositions)
    this.#state = { secret, positions: { ...Object.fromEntries(kept), [key]: sequence } }
    writePrivateFile(this.#file, `${JSON.stringify(this.#state, null, 2)}\n`)
  }

  /** Returns what the file has; nothing if missing. Throws for a damaged file: a new start would leave a hole. */
  #read(): ListenState | undefined {
    const text = readPrivateFile(this.#file)
    if (text === undefined) return undefined
    const state = parse(text)
    if (state !== undefined) return state
    throw new CliError(`${this.#file} is damaged: remove it, and name the event to begin after with --since`)
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

function parse(text: string): ListenState | undefined {
  try {
    const value: Partial<ListenState> | null = JSON.parse(text)
    const { secret, positions } = value ?? {}
    if (typeof secret !== 'string' || typeof positions !== 'object' || positions === null) return undefined
    return Object.values(positions).every(Number.isSafeInteger) ? { secret, positions } : undefined
  } catch {
    return undefined
  }
}
