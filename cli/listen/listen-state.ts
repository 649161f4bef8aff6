import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
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

/** The file of what `listen` remembers of a profile. */
export class ListenStore {
  readonly #file: string
  #state: ListenState

  constructor(folder: string, profile: string) {
    this.#file = join(folder, 'listen', `${profile}.json`)
    this.#state = parse(readPrivateFile(this.#file)) ?? { secret: newSecret(), positions: {} }
  }

  get secret(): string {
    return this.#state.secret
  }

  /** Returns the number of the last event that was handled; nothing for a target that has had none. */
  position(key: string): number | undefined {
    return this.#state.positions[key]
  }

  /** Keeps the number of the last event that was handled. It is on the disk when this returns. */
  advance(key: string, sequence: number): void {
    const { [key]: _, ...others } = this.#state.positions
    const kept = Object.entries(others).slice(1 - mostPositions)
    this.#state = { ...this.#state, positions: { ...Object.fromEntries(kept), [key]: sequence } }
    writePrivateFile(this.#file, `${JSON.stringify(this.#state, null, 2)}\n`)
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

function parse(text: string | undefined): ListenState | undefined {
  if (text === undefined) return undefined
  try {
    const value: Partial<ListenState> = JSON.parse(text)
    const { secret, positions } = value
    return typeof secret === 'string' && typeof positions === 'object' ? { secret, positions } : undefined
  } catch {
    return undefined
  }
}
