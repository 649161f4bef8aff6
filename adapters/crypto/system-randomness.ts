import { randomBytes, randomUUID } from 'node:crypto'
import type { Randomness } from '../../core/time.ts'

/** The operating system's source of randomness. */
export const systemRandomness: Randomness = {
  uuid: () => randomUUID(),
  bytes: (length) => new Uint8Array(randomBytes(length)),
}
