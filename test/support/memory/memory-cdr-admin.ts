import type { CdrAdmin } from '../../../core/cdr/cdr-admin.ts'

/** Nothing has to be made ready in memory, and nothing is kept longer than the process. */
export function memoryCdrAdmin(): CdrAdmin {
  return { prepare: async () => {}, removeEmpty: async () => {} }
}
