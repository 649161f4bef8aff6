import type { RecordingDisk } from './recording-disk.ts'
import { type RecordingFacts, fileId, recordingFacts } from './recording-facts.ts'

/**
 * The facts of recordings whose files wait, next to the files themselves: the next process finds there what a
 * killed connector knew, also when no store could be reached.
 */
export interface RecordingNotes {
  write(facts: RecordingFacts): Promise<void>
  remove(facts: RecordingFacts): Promise<void>
  /** Up to `limit` notes that are not in `known`, by {@link fileId}. What cannot be read is passed over, and counted. */
  find(known: { has(id: string): boolean }, limit: number): Promise<RecordingFacts[]>
  /** Notes that could not be read. */
  readonly damaged: number
}

/** Notes on the disk with the recordings. */
export function recordingNotes(disk: RecordingDisk): RecordingNotes {
  const damaged = new Set<string>()

  const read = async (name: string): Promise<RecordingFacts | undefined> => {
    const text = await disk.readNote(name)
    if (text === undefined) return undefined
    const facts = parse(text)
    if (facts === undefined || fileId(facts) !== name) damaged.add(name)
    return facts !== undefined && fileId(facts) === name ? facts : undefined
  }

  return {
    write: (facts) => disk.writeNote(fileId(facts), JSON.stringify(facts)),
    remove: (facts) => disk.removeNote(fileId(facts)),
    find: async (known, limit) => {
      const names = (await disk.listNotes()).filter((name) => !known.has(name) && !damaged.has(name))
      const found: RecordingFacts[] = []
      for (const name of names.slice(0, limit)) {
        const facts = await read(name)
        if (facts !== undefined) found.push(facts)
      }
      return found
    },
    get damaged() {
      return damaged.size
    },
  }
}

function parse(text: string): RecordingFacts | undefined {
  try {
    return recordingFacts.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
