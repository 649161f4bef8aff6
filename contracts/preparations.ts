import type { Needs } from './ports.ts'

/**
 * The one declaration of a function that prepares a store. A deployment calls it before anything uses the store, every
 * hour does, and a laptop at each start. It is idempotent.
 */
export interface Preparation {
  /** Unique among workers, schedules and preparations; also the name of the handler file, in kebab case. */
  readonly name: string
  readonly group: string
  readonly summary: string
  readonly timeoutSeconds: number
  readonly needs: Needs
  /** A digest of what is prepared: a deployment calls the function again when it has changed. */
  readonly edition: string
}

function preparation<const P extends Preparation>(declaration: P): P {
  return declaration
}

/** Configures how the search store keeps CDRs, and for how long. */
export const prepareSearch = preparation({
  name: 'prepareSearch',
  group: 'cdr',
  summary: 'Tell the search store how CDRs are kept and for how long',
  timeoutSeconds: 120,
  needs: { cdrAdmin: ['prepare'] },
  edition: '470e6cf12b9c',
})

/** Every preparation. */
export const preparations: readonly Preparation[] = [prepareSearch]
