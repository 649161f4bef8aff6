import { Socket } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/**
 * Lists every connection that this process has tried to open since the call, as `address:port`, until the test ends:
 * one entry for each time that the system was asked to connect. A name that is looked up, or a socket that is made, is
 * none.
 */
export function connectionAttempts(): () => readonly string[] {
  const spy = vi.spyOn(Socket.prototype, 'emit')
  onTestFinished(() => spy.mockRestore())
  return () => {
    const calls: readonly (readonly unknown[])[] = spy.mock.calls
    return calls.flatMap(([event, address, port]) =>
      event === 'connectionAttempt' ? [`${String(address)}:${String(port)}`] : [],
    )
  }
}
