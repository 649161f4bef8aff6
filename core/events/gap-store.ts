import type { Gap, RecordedGap } from './gap.ts'

/** The times in which events of an engine may have been missed, or were dropped; kept for a week at least. */
export interface GapStore {
  /** Writes a gap, once. `true` when the record that stands is this recorder's own. */
  record(gap: Gap): Promise<boolean>
  /**
   * The gaps that began at or after `since` (epoch milliseconds), in the order of beginnings; of more than `limit` the
   * newest.
   */
  list(since: number, limit?: number): Promise<RecordedGap[]>
}
