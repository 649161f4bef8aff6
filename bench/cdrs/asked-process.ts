import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startOptions } from '../measured-server.ts'

/** A process that answers each message with one of its own. */
export interface AskedProcess {
  readonly started: unknown
  ask(message: string | object): Promise<unknown>
  close(): Promise<void>
}

/** Starts a file with the options of `npm start`, and waits until it is up. */
export async function openProcess(file: URL, words: readonly string[]): Promise<AskedProcess> {
  const child = fork(file, words, { execArgv: startOptions })
  const exited = once(child, 'exit')
  const ended = (): never => {
    throw new Error(`${file.pathname} ended before it answered`)
  }
  const answer = async (): Promise<unknown> => {
    const [message] = await Promise.race([once(child, 'message'), exited.then(ended)])
    return message
  }
  return {
    started: await answer(),
    ask(message) {
      const answered = answer()
      child.send(message)
      return answered
    },
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
