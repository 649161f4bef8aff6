import type { Needs } from '../core/ports.ts'

/**
 * The one declaration of a function that makes a store ready: a deployment calls it before anything works with the
 * store, and a laptop at each start. Any number of calls come to the same.
 */
export interface Preparation {
  /** Unique among workers, schedules and preparations; also the name of the handler file, in kebab case. */
  readonly name: string
  /** Folder of the handler. */
  readonly group: string
  readonly summary: string
  readonly timeoutSeconds: number
  readonly needs: Needs
}

function preparation<const P extends Preparation>(declaration: P): P {
  return declaration
}

/** Tells the search store how CDRs are kept and for how long. */
export const prepareSearch = preparation({
  name: 'prepareSearch',
  group: 'cdr',
  summary: 'Tell the search store how CDRs are kept and for how long',
  timeoutSeconds: 120,
  needs: { cdrAdmin: ['prepare'] },
})

/** Every preparation. */
export const preparations: readonly Preparation[] = [prepareSearch]
