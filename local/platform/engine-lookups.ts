import { type XmlLookup, httpLookup } from '@callplane/simulated-freeswitch'

/** Where the platform is and what the engine presents there. */
export interface PlatformAddress {
  /** The service's base address; the lookups go to `/engine/directory` and `/engine/dialplan` below it. */
  readonly url: string
  /** The password of the user `engine`, by HTTP Basic. */
  readonly credential: string
}

/** Asks the platform for users and gateways. Rejects on any status but 200, and on a slow answer. */
export function httpDirectory(platform: PlatformAddress): XmlLookup {
  return engineLookup('directory', platform)
}

/** Asks the platform for the routes of calls. Rejects as {@link httpDirectory} does. */
export function httpDialplan(platform: PlatformAddress): XmlLookup {
  return engineLookup('dialplan', platform)
}

function engineLookup(name: 'directory' | 'dialplan', { url, credential }: PlatformAddress): XmlLookup {
  return httpLookup({ url: new URL(`/engine/${name}`, url), credentials: `engine:${credential}` })
}
