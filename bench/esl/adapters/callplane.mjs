/**
 * The connector's own reader as a client of the event-socket harness: one connection of `packages/esl`, which is what
 * a session runs, with every event read as the connector reads it. It needs the project's `npm ci` and nothing else;
 * a Node that cannot run TypeScript gets the same files bundled.
 */
import { EslCommand, EslConnection, EslError, defaultEslLimits, systemEslTimers } from '../load-connector.mjs'

export const formats = ['json']

export function open({ host, port, password, onEvent, onError }) {
  const { promise, resolve, reject } = Promise.withResolvers()
  const run = (command) =>
    new Promise((settle, fail) => {
      connection.run(command, (answer) => (answer instanceof EslError ? fail(answer) : settle(answer)))
    })
  const client = { api: (command) => run(EslCommand.api(command)), close: () => connection.close() }
  const connection = new EslConnection({
    host,
    port,
    password,
    timers: systemEslTimers,
    limits: { ...defaultEslLimits, commandMs: 120_000 },
    tally: { heardAt: 0, bytes: 0, events: 0, unreadableEvents: 0, lateReplies: 0, strayReplies: 0 },
    onReady: () => run(EslCommand.event(['ALL'])).then(() => resolve(client), reject),
    onEvent: (event) => onEvent(event.name, event.sequence, event.uuid, event.header('variable_bench_probe')),
    onUnreadable: onError,
    onEnd: (error) => {
      onError(error)
      reject(error)
    },
  })
  return promise
}
