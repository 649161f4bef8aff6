import type { Hook } from './hook.ts'

/** The hooks of the tenants. */
export interface HookStore {
  /**
   * Writes new hooks, all or none; `false` when the domain would then have more than `limit`. A repetition of the same
   * creation (of the same ids) answers `true` and changes nothing.
   */
  create(hooks: readonly Hook[], limit: number): Promise<boolean>
  read(domain: string, id: string): Promise<Hook | undefined>
  /** Every hook of the domain, oldest first. Reads consistently. */
  list(domain: string): Promise<Hook[]>
  /** How many hooks the domain has. Reads consistently. */
  count(domain: string): Promise<number>
  /** Replaces a hook whose version still is `hook.version - 1`; `false` if another write was first, or it is gone. */
  replace(hook: Hook): Promise<boolean>
  /** Removes a hook that is still of this version; otherwise `false`. */
  remove(hook: Hook): Promise<boolean>
  /** Counts a permanent failure, at most once for each delivery. Returns the updated hook, if it exists. */
  countFailure(
    domain: string,
    id: string,
    failed: { readonly delivery: string; readonly at: number },
  ): Promise<Hook | undefined>
  clearFailures(domain: string, id: string): Promise<void>
  /** Notes when the receiver of a hook was found to be late, epoch milliseconds. */
  noteLate(hook: Pick<Hook, 'domain' | 'id'>, lateAt: number): Promise<void>
  /** Takes the notice that is due for a hook of this version: `true` exactly once, for the caller that must send it. */
  endNotice(hook: Hook): Promise<boolean>
  /** The notice of a hook of this version is due again, after so many tries; `false` when it is another version. */
  renewNotice(hook: Hook, tries: number): Promise<boolean>
}

/** The events that the hooks of all tenants name; the connector relays by them. */
export interface SubscriptionReader {
  /** Changes whenever any hook is made, changed or removed; cheap to ask for. */
  version(): Promise<number>
  /** Every pair of domain and event name that a hook names, whether or not it is enabled; each once. */
  list(): Promise<{ readonly domain: string; readonly event: string }[]>
}
