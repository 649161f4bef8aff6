import { join } from 'node:path'
import { type Timers, backoffMs, pause } from '../../core/concurrency/timers.ts'
import type { Journal } from './journal.ts'
import type { SpoolFiles } from './spool-files.ts'
import { type SpoolOwner, folderName, ownerOf, signOf } from './spool-owner.ts'

/** A folder is asked for so often, which takes four seconds, before the next one is looked at. */
const mostInTurn = 5

/** From then on it is asked for this often. */
const laterMs = 60_000

/** Where to look, and for whom. */
export interface LeftPlace {
  readonly folder: string
  readonly files: SpoolFiles
  readonly owner: SpoolOwner
  readonly onTaken?: ((owner: string) => void) | undefined
}

/** What a search is made from. */
export interface SearchParts {
  readonly place: LeftPlace
  /** The folder that this process writes to, which was not left. */
  readonly own: string
  readonly timers: Timers
  /** Ends the search; a folder that was just taken is left to the next process. */
  readonly signal: AbortSignal
  readonly journalIn: (name: string, since: number) => Journal
  /** Given each journal that was taken over. */
  readonly onFound: (journal: Journal) => void
  /** Told of each step that failed and is repeated. */
  readonly onFailed: (problem: unknown) => void
}

/** A folder of a process that ended. */
interface LeftFolder {
  readonly name: string
  readonly former: string
  readonly since: number
  /** The name that this process gives it. */
  readonly mine: string
  isMine: boolean
}

/** No wait is shortened: nobody else asks this disk. */
const inFull = () => 0

/**
 * Makes the folders of processes that ended this process's own, the oldest first. A folder gets a new name in one step,
 * so that of two processes that start at once one has it. What fails is tried again. Resolves when each folder was
 * found, or has failed five times; these are asked for until `signal` is aborted.
 */
export async function takeOverLeft(parts: SearchParts): Promise<void> {
  const { place, timers, signal, onFound, onFailed } = parts

  const patiently = async <T>(work: () => Promise<T>, mostTries: number): Promise<T | undefined> => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await work()
      } catch (problem) {
        onFailed(problem)
      }
      if (tries >= mostTries) break
      await pause(timers, backoffMs(tries, inFull), signal)
    }
    return undefined
  }

  /** Answers the folders that are not found yet. */
  const look = async (folders: readonly LeftFolder[], mostTries: number): Promise<LeftFolder[]> => {
    const failed: LeftFolder[] = []
    for (const one of folders) {
      const journal = await patiently(() => takeOver(parts, one), mostTries)
      if (signal.aborted) return []
      if (journal === undefined) failed.push(one)
      else if (journal !== 'gone') {
        place.onTaken?.(one.former)
        onFound(journal)
      }
    }
    return failed
  }

  const lookLater = async (failed: readonly LeftFolder[]) => {
    for (let rest = failed; rest.length > 0; rest = await look(rest, 1)) await pause(timers, laterMs, signal)
  }

  const left = await patiently(() => leftFolders(parts), Infinity)
  void lookLater(await look(left ?? [], mostInTurn))
  await removeSigns(place).catch(() => undefined)
}

async function leftFolders({ place: { folder, files, owner }, own }: SearchParts): Promise<LeftFolder[]> {
  const names = (await files.list(folder)).filter((name) => name !== own)
  const left: LeftFolder[] = []
  for (const name of names) {
    const { name: former, since } = ownerOf(name) ?? {}
    if (former === undefined || since === undefined || (await owner.isAlive(former, folder))) continue
    left.push({ name, former, since, mine: folderName(owner, since), isMine: false })
  }
  return left.toSorted((a, b) => a.since - b.since)
}

/** Removes what showed that processes ran which have ended. One that stays says nothing. */
async function removeSigns({ folder, files, owner }: LeftPlace): Promise<void> {
  for (const name of await files.list(folder)) {
    const former = signOf(name)
    if (former === undefined || former === owner.name || (await owner.isAlive(former, folder))) continue
    await files.remove(join(folder, name))
  }
}

async function takeOver({ place, journalIn }: SearchParts, one: LeftFolder): Promise<Journal | 'gone'> {
  const { folder, files } = place
  if (!one.isMine && !(await files.rename(join(folder, one.name), join(folder, one.mine)))) return 'gone'
  one.isMine = true
  const journal = journalIn(one.mine, one.since)
  await journal.find()
  return journal
}
