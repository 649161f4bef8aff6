import type { Readable } from 'node:stream'
import type { Clock } from './clock.ts'

/** A stream that text is written to, such as standard output. */
export interface TextStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  /** `done` is called when the text was taken. */
  write(text: string | Uint8Array, done?: () => void): unknown
}

/** Standard input: a terminal, or text that was piped in. */
export type SecretInput = Readable & {
  readonly isTTY?: boolean | undefined
  readonly setRawMode?: ((isRaw: boolean) => unknown) | undefined
}

/** The world outside the program. */
export interface Terminal {
  readonly stdin: SecretInput
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The clock of this machine by default. */
  readonly clock?: Clock
  /** Aborts when the user wants the program to end. */
  readonly signal: AbortSignal
}

/** Returns whether colours may be used at all: the convention of NO_COLOR, and `TERM=dumb`. */
export function mayUseColours({ env }: Pick<Terminal, 'env'>): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}
