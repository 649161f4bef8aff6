import { terminalText } from '../../client/index.ts'

interface PrintStream {
  readonly isTTY?: boolean
  write(chunk: string | Uint8Array, ...rest: unknown[]): boolean
}

/**
 * Lets a program print nothing that acts on a terminal: answers of engines, stores and the platform hold texts of
 * strangers. What goes into a file or a pipe stays as it is.
 */
export function guardTerminals(streams: readonly PrintStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    if (stream.isTTY !== true) continue
    const write = stream.write.bind(stream)
    stream.write = (chunk, ...rest) => write(typeof chunk === 'string' ? terminalText(chunk, '\n\t') : chunk, ...rest)
  }
}
