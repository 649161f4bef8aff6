import type { PresenceTracker } from '../events/presence.ts'
import type { PresenceWriter } from '../events/presence-writer.ts'
import type { Subscriptions } from '../events/subscriptions.ts'

/** Publishes to a domain that an earlier call has ended, and that its account is free. */
const ofEnds = ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY', 'CUSTOM->svc::account_status']

/**
 * Reads the stored accounts of every domain that would get the event of a call's end, in the background; what has ended
 * since they were stored is ended by that. One domain after another; one whose accounts cannot be read now is left until
 * its next event. Always answers `true`.
 */
export function recallAccounts(
  wanted: Pick<Subscriptions, 'domainsWanting'>,
  presence: Pick<PresenceTracker, 'load'>,
  writer: Pick<PresenceWriter, 'wake'>,
): true {
  const read = async () => {
    for (const domain of new Set(ofEnds.flatMap((name) => wanted.domainsWanting(name)))) {
      await Promise.resolve(presence.load(domain)).then(
        () => writer.wake(),
        () => {},
      )
    }
  }
  void read()
  return true
}
