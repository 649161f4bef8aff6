import { type TogetherRules, together } from '../../concurrency/together.ts'
import type { CdrPart } from '../cdr.ts'
import type { CdrStore } from '../cdr-store.ts'

/** Returns the store's `index` for concurrent callers, as {@link together} joins their calls. */
export function indexTogether(store: Pick<CdrStore, 'index'>, rules: TogetherRules): CdrStore['index'] {
  const index = together((parts: readonly CdrPart[]) => store.index(parts), rules)
  return async (parts) => (await index(parts)).filter(({ part }) => parts.includes(part))
}
