import { join } from 'node:path'
import type { Journal } from './journal.ts'
import type { SpoolFiles } from './spool-files.ts'
import { type SpoolOwner, folderName, ownerOf } from './spool-owner.ts'

/** Where to look, and for whom. */
export interface LeftPlace {
  readonly folder: string
  readonly files: SpoolFiles
  readonly owner: SpoolOwner
  readonly onTaken?: ((owner: string) => void) | undefined
}

/**
 * Makes the folders of processes that ended this process's own, the oldest first, and answers their journals. A folder
 * gets a new name in one step, so that of two processes that start at once one has it. Nothing more is taken once
 * `signal` is aborted; a folder that was just taken is left to the next process then.
 */
export async function* leftJournals(
  { folder, files, owner, onTaken }: LeftPlace,
  journalIn: (name: string, since: number) => Journal,
  signal: AbortSignal,
): AsyncGenerator<Journal> {
  const left = (await files.list(folder)).flatMap((name) => {
    const known = ownerOf(name)
    return known === undefined || owner.isAlive(known.name) ? [] : [{ name, owner: known.name, since: known.since }]
  })
  for (const { name, owner: former, since } of left.toSorted((a, b) => a.since - b.since)) {
    if (signal.aborted) return
    const mine = folderName(owner, since)
    if (!(await files.rename(join(folder, name), join(folder, mine)))) continue
    const journal = journalIn(mine, since)
    await journal.find()
    if (signal.aborted) return
    onTaken?.(former)
    yield journal
  }
}
