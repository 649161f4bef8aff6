import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { ClientRequest } from 'node:http'

const current = new AsyncLocalStorage<() => void>()

/**
 * Makes this thread report when the code that {@link runReporting} runs sends a request to something that it then waits for:
 * a message to a queue, or a request to a receiver of hooks. Requests to the stores are not reported.
 */
export function reportSending(): void {
  subscribe('http.client.request.start', (message) => {
    if (isQueued(message)) current.getStore()?.()
  })
  // Receivers are called with undici, and nothing else is.
  subscribe('undici:request:create', () => current.getStore()?.())
}

/** Runs code, all the way through its promises. `report` is called each time it sends something. */
export function runReporting<T>(report: () => void, run: () => T): T {
  return current.run(report, run)
}

function isQueued(message: unknown): boolean {
  const request = typeof message === 'object' && message !== null && 'request' in message ? message.request : undefined
  return request instanceof ClientRequest && request.getHeader('x-amz-target') === 'AmazonSQS.SendMessage'
}
