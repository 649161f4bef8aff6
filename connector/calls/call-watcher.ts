import type { Channel } from './channel.ts'

/** Receives the channels of domains, to store them beyond this process. Must not throw. */
export interface CallWatcher {
  /** A channel is up that was not known, or not as one of this engine, process and account, or it was hung up. */
  live(channel: Channel): void
  /** A channel is gone, or was taken to be; it may come back. */
  ended(channel: Channel): void
}

/** Returns whether the engine has hung up a channel: it makes its account busy no longer. */
export function isHungUp(channel: Channel | undefined): boolean {
  return channel?.callState === 'HANGUP'
}

/**
 * Returns whether the record of a channel has to be written: the channel has a domain, and its domain, engine, process
 * or account differs from `before`, or it has an account and was hung up since.
 */
export function isNews(before: Channel | undefined, after: Channel): boolean {
  if (after.domain === '' || after.core === '') return false
  return (
    before?.core !== after.core ||
    before.domain !== after.domain ||
    before.engine !== after.engine ||
    before.presenceId !== after.presenceId ||
    (after.presenceId !== '' && isHungUp(after) && !isHungUp(before))
  )
}
