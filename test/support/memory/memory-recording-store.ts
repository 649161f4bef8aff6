import { joinedNote } from '../../../core/recordings/left-recordings.ts'
import { type RecordingChange, endOf, recordingChanges } from '../../../core/recordings/recording-changes.ts'
import type { RecordingStore } from '../../../core/recordings/recording-store.ts'
import { type Recording, type RecordingKey, uuidOfFile } from '../../../core/recordings/recording.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Records of recordings in memory. */
export function memoryRecordingStore({ state, clock }: MemoryContext): RecordingStore {
  const isKept = (recording: Recording) => keptUntil.recording(recording) > clock.now()
  const keyOf = ({ domain, uuid, id }: RecordingKey) => memoryKey(domain, uuid, id)
  const kept = (place: RecordingKey) => [state.recordings.get(keyOf(place))].find((found) => found && isKept(found))
  const all = () => [...state.recordings.values()].filter(isKept)

  async function change<A>(
    place: RecordingKey,
    rule: (stored: Recording | undefined) => RecordingChange<A>,
  ): Promise<A> {
    const { next, answer } = rule(kept(place))
    if (next !== undefined) state.recordings.set(keyOf(place), next)
    return answer
  }

  return {
    ...recordingChanges(change),
    read: async (place) => kept(place),
    listRecorded: async (legs) =>
      legs.filter(({ domain, uuid }) => all().some((one) => one.domain === domain && one.uuid === uuid)),
    listByFile: async (name, domain) => {
      const into = all().filter((one) => one.name === name && uuidOfFile(name) !== one.uuid)
      const legs = into
        .filter((one) => domain === undefined || one.domain === domain)
        .sort((a, b) => b.startedAt - a.startedAt)
        .map((one) => ({ domain: one.domain, uuid: one.uuid }))
      const last = legs.slice(0, 10)
      return [...last, ...legs.filter((leg) => last.every((one) => one.domain !== leg.domain)).slice(0, 1)]
    },
    list: async (domain, uuid) =>
      all()
        .filter((one) => one.domain === domain && one.uuid === uuid)
        .sort(byText(({ id }) => id))
        .sort((a, b) => a.startedAt - b.startedAt),
    listOverdue: async (before, limit) =>
      all()
        .filter((one) => one.state === 'expected' && endOf(one) < before)
        .sort((a, b) => endOf(a) - endOf(b))
        .slice(0, limit),
    listExpired: async (domain, before, limit, from = 0) =>
      all()
        .filter((one) => one.domain === domain && one.state === 'stored' && !one.isHeld)
        .filter(({ startedAt }) => startedAt >= from && startedAt < before)
        .sort((a, b) => a.startedAt - b.startedAt)
        .slice(0, limit),
    listDoomed: async (before, limit) =>
      all()
        .filter((one) => one.state === 'deleted' && one.isRemoved !== true && (one.closedAt ?? 0) < before)
        .sort((a, b) => (a.closedAt ?? 0) - (b.closedAt ?? 0))
        .slice(0, limit),
    page: async (domain, limit, after) =>
      all()
        .filter((one) => one.domain === domain)
        .sort(byText(sortOf))
        .filter((one) => after === undefined || sortOf(one) > sortOf(after))
        .slice(0, limit),
    async leave(left) {
      state.leftRecordings.set(left.domain, joinedNote(state.leftRecordings.get(left.domain), left))
    },
    listLeft: async (limit, after = '') =>
      [...state.leftRecordings.values()]
        .filter(({ domain }) => domain > after)
        .sort(byText(({ domain }) => domain))
        .slice(0, limit),
    wasLeft: async (domain) => state.leftRecordings.has(domain),
    async forgetLeft(domain, before) {
      const known = state.leftRecordings.get(domain)
      if (known !== undefined && known.leftAt < before) state.leftRecordings.delete(domain)
    },
  }
}

/** A space sorts before every character of a uuid or an id. */
function sortOf({ uuid, id }: Pick<RecordingKey, 'uuid' | 'id'>): string {
  return `${uuid} ${id}`
}
