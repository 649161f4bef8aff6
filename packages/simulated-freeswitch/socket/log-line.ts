import { localStamp } from '../events/event-bus.ts'

/** One line of the engine's log, as `log` makes a connection hear it. */
export interface LogLine {
  /** 0 (console) to 7 (debug). */
  readonly level: number
  readonly levelName: string
  /** 0 for a plain line, 3 for one written by the `log` command. */
  readonly textChannel: number
  readonly place: readonly [file: string, functionName: string, line: number]
  readonly text: string
}

/** Returns a log frame (`session/log-frames`). */
export function logFrame(line: LogLine, now: number): string {
  const [file, functionName, number] = line.place
  const text = `${localStamp(now)}.${String(now % 1000).padStart(3, '0')}000 99.00% [${line.levelName}] ${file}:${number} ${line.text}\n`
  const head = [
    'Content-Type: log/data',
    `Content-Length: ${text.length}`,
    `Log-Level: ${line.level}`,
    `Text-Channel: ${line.textChannel}`,
    `Log-File: ${file}`,
    `Log-Func: ${functionName}`,
    `Log-Line: ${number}`,
    'User-Data: ',
  ]
  return `${head.join('\n')}\n\n${text}`
}
