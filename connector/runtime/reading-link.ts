import { EslCommandNotSent, type EslSession, type EslSessionOptions } from '@callplane/esl'

/**
 * The commands that an engine gets while it is only observed, as whole lines. None of them changes anything at it. A
 * link itself sends `auth`, `event`, `nixevent` and `exit`, which concern the link alone, and asks for
 * `global_getvar core_uuid` and `uptime`.
 */
const readingCommands: readonly RegExp[] = [
  /^status$/,
  /^show channels as json$/,
  /^show registrations as json$/,
  /^uuid_dump [0-9A-Za-z-]{1,64} json$/,
  /^uuid_exists [0-9A-Za-z-]{1,64}$/,
]

/** Returns whether a command only reads. */
export function isReading(command: string): boolean {
  return readingCommands.some((form) => form.test(command))
}

/** Makes links that refuse every command that does not only read, without sending it. */
export function readingLink(
  open: (options: EslSessionOptions) => EslSession,
): (options: EslSessionOptions) => EslSession {
  return (options) => {
    const link = open(options)
    return {
      get state() {
        return link.state
      },
      get heardAt() {
        return link.heardAt
      },
      get counts() {
        return link.counts
      },
      api: (command) => (isReading(command) ? link.api(command) : refuse()),
      bgapi: () => refuse(),
      resubscribe: (subscribe) => link.resubscribe(subscribe),
      close: () => link.close(),
    }
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new EslCommandNotSent('the engine is only observed'))
}
