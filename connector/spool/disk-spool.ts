import { join } from 'node:path'
import type { Log } from '../../adapters/log/logger.ts'
import { trouble } from '../health/trouble.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type DropClass, dropOrder } from './drop-class.ts'
import type { DropTally } from './drop-tally.ts'
import { type Copy, Journal } from './journal.ts'
import { takeOverLeft } from './left-journals.ts'
import { patientReader } from './patient-reader.ts'
import type { Segment } from './segment.ts'
import type { Spool, SpoolPlace } from './spool.ts'
import { spoolLine } from './spool-line.ts'
import { folderName, showOwner } from './spool-owner.ts'

/** How long a disk that refused is left alone. */
const leaveAloneMs = 5_000

/** No file of a spool is smaller or larger; between them each is a 32nd of the room that there is. */
const smallestSegment = 64 * 1024
const largestSegment = 8 * 1024 * 1024

/** Events that were given up and whose copies could not be erased; of more, the next process may find one again. */
const mostUnerased = 10_000

/** Makes a spool. What does not fit its room is given up, the oldest file of the least class first, and noted in `tally`. */
export function diskSpool(place: SpoolPlace, parts: Time & { readonly log: Log; readonly tally: DropTally }): Spool {
  const { files, folder, owner } = place
  const { clock, timers, log, tally } = parts
  const segmentBytes = Math.min(largestSegment, Math.max(smallestSegment, Math.floor(place.bytes / 32)))
  const counts = { found: 0, damaged: 0, failures: 0 }
  const closing = new AbortController()
  const onDamaged = ({ dropClass, from, to }: Segment, events: number) => {
    counts.damaged += events
    tally.lost(dropClass, from, events, to)
    log.warn('events in the spool cannot be read', { events })
  }
  const onRefused = (problem: unknown, tries: number) => {
    counts.failures += 1
    if (tries === 1) log.error('the spool cannot be read: it is tried again', problem)
  }
  const read = patientReader({ files, timers, signal: closing.signal, onRefused })
  const journalIn = (name: string, since: number) =>
    new Journal({ files, folder: join(folder, name), since, segmentBytes, read, onDamaged })
  const startedAt = clock.now()
  const ownName = folderName(owner, startedAt)
  const own = journalIn(ownName, startedAt)
  let journals: readonly Journal[] = [own]
  let hasFolder = false
  let refusedAt: number | undefined
  const unerased: Copy[] = []
  const underWay = new Set<Promise<unknown>>()

  /** Nothing of this process is on the disk before others can see that it runs. */
  const shown = showOwner(place, log)
  const failed = (problem: unknown) => {
    counts.failures += 1
    if (refusedAt === undefined) log.error('the spool cannot be written: events wait in memory only', problem)
    refusedAt = clock.now()
  }
  /** Not for longer when the clock is set back. */
  const isLeftAlone = () => {
    const agoMs = clock.now() - (refusedAt ?? -Infinity)
    return agoMs >= 0 && agoMs < leaveAloneMs
  }
  const segments = () => journals.flatMap((journal) => journal.segments)
  const bytes = () => segments().reduce((sum, { size }) => sum + size, 0)

  /** Lets something happen by itself; the folder of an earlier process goes with its last file. */
  const inBackground = (work: Promise<unknown>, journal: Journal) => {
    const isLast = journal !== own && journal.segments.length === 0 && journals.includes(journal)
    if (isLast) journals = journals.filter((one) => one !== journal)
    const whole = work
      .catch(() => (counts.failures += 1))
      .then(() => (isLast ? files.removeFolder(journal.folder).catch(() => undefined) : undefined))
      .finally(() => underWay.delete(whole))
    underWay.add(whole)
  }

  /** Erases now, and after the next write once more when the disk refuses. */
  const eraseLater = (copy: Copy) => {
    inBackground(
      copy.journal.erase(copy).catch(() => {
        if (unerased.length < mostUnerased) unerased.push(copy)
      }),
      copy.journal,
    )
  }

  const victim = (least: DropClass): { journal: Journal; segment: Segment } | undefined => {
    for (const dropClass of dropOrder.filter((dropClass) => dropClass >= least)) {
      for (const journal of journals) {
        const segment = journal.victim(dropClass)
        if (segment !== undefined) return { journal, segment }
      }
    }
    return undefined
  }

  /** Gives up what is less important than, or as important as, what needs the room. */
  const makeRoom = (needed: number, least: DropClass): boolean => {
    while (bytes() + needed > place.bytes) {
      const given = victim(least)
      if (given === undefined) return false
      const { journal, segment } = given
      tally.note(segment.dropClass, segment.from, segment.unread, segment.to)
      inBackground(journal.giveUp(segment), journal)
    }
    return true
  }

  /** Its events come before those of younger journals, and before this process's own. */
  const adopt = (journal: Journal) => {
    const left = [...journals.filter((one) => one !== own), journal]
    journals = [...left.toSorted((a, b) => a.since - b.since), own]
    counts.found += journal.unread
    if (journal.unread > 0) log.warn('events of an earlier process were found', { events: journal.unread })
    for (const segment of journal.segments.filter(({ unread }) => unread === 0)) {
      inBackground(journal.remove(segment), journal)
    }
    inBackground(Promise.resolve(), journal)
  }

  return {
    isThere: true,
    open: async (onFound) => {
      await shown
      const unfound = trouble(log, 'what an earlier process left cannot be looked through; it will be tried again')
      const found = (journal: Journal) => {
        adopt(journal)
        onFound()
      }
      const onFailed = (problem: unknown) => {
        counts.failures += 1
        unfound.note(problem)
      }
      const search = { place, own: ownName, timers, signal: closing.signal, journalIn }
      await takeOverLeft({ ...search, onFound: found, onFailed })
    },
    append: async (events) => {
      if (closing.signal.aborted || isLeftAlone()) return undefined
      const lines = events.map((event) => ({ ...event, line: spoolLine(event) }))
      const needed = lines.reduce((sum, { line }) => sum + line.length, 0)
      const least = lines.reduce<DropClass>((least, { dropClass }) => (dropClass > least ? dropClass : least), 1)
      if (!makeRoom(needed, least)) return undefined
      try {
        await shown
        if (!hasFolder) await files.makeFolder(own.folder)
        hasFolder = true
        const copies = await own.append(lines)
        refusedAt = undefined
        unerased.splice(0).forEach(eraseLater)
        return copies
      } catch (problem) {
        hasFolder = false
        failed(problem)
        return undefined
      }
    },
    leave: (copy) => copy.journal.leave(copy),
    release: (copy) => {
      if (!copy.segment.isGone) inBackground(copy.journal.release(copy), copy.journal)
    },
    erase: (copy) => {
      if (copy.segment.isGone) return
      inBackground(copy.journal.release(copy), copy.journal)
      eraseLater(copy)
    },
    next: async () => {
      for (const journal of journals) {
        const event = journal.unread > 0 ? await journal.next() : undefined
        if (event !== undefined) return event
      }
      return undefined
    },
    close: async () => {
      closing.abort()
      await Promise.all(underWay)
      void shown.then((hide) => hide?.())
      if (own.segments.length === 0 && hasFolder) await files.removeFolder(own.folder).catch(() => undefined)
    },
    get unread() {
      return journals.reduce((sum, { unread }) => sum + unread, 0)
    },
    get bytes() {
      return bytes()
    },
    get oldestAt() {
      const times = segments().flatMap(({ unread, from }) => (unread > 0 ? from : []))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    counts,
  }
}
