import type { DirectoryUser } from '../directory/directory.ts'

/** A phone that is registered at the engine. Byte text. */
export interface Registration {
  readonly login: string
  readonly domain: string
  readonly user: DirectoryUser
  readonly profile: string
  readonly displayName: string
  readonly userAgent: string
  /** Where the phone would be on the loopback address; nothing listens there. */
  readonly port: number
  /** What follows the address in its contact: the phone's parameters, with the note of the engine; or nothing. */
  readonly parameters: string
  readonly callId: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** Returns the address of a phone as it is registered. */
export function contactUri({ login, port, parameters }: Registration): string {
  return `sip:${login}@127.0.0.1:${port}${parameters}`
}

/** How long a phone asks to be registered for. It comes back after half of that. */
export const registrationSeconds = 3_600
