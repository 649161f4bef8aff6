import { join } from 'node:path'
import { isRunning, processIdentity } from '../../adapters/system/process-identity.ts'
import { generationName, generationOf } from './segment.ts'
import type { SpoolFiles } from './spool-files.ts'

/** The process that holds the lock of a spool folder. */
export interface SpoolOwner {
  /** Names this process and no other, also none of another time; letters, digits and dashes. */
  readonly name: string
  /** Whether another process with a name still runs. */
  isAlive(name: string): boolean
}

/** The lock of a spool folder. */
export interface SpoolLock {
  readonly path: string
  /** Rises with each process that holds the lock. The names of its files begin with it. */
  readonly generation: number
  /** The owner of the lock that was taken over; absent when there was none. */
  readonly former: string | undefined
  /** The names of everything in the folder that was there before. */
  readonly names: readonly string[]
}

const lockForm = /^\d{10}\.lock$/

/**
 * Takes the lock of a spool folder, which is made if need be. A lock whose process is gone is taken over. Rejects while
 * another process holds it. Each holder makes a lock file of its own, one generation after the newest: only one process can
 * make it, so of two that find a stale lock one gets it.
 */
export async function takeLock(folder: string, files: SpoolFiles, owner: SpoolOwner): Promise<SpoolLock> {
  await files.makeFolder(folder)
  const names = (await files.list(folder)).toSorted()
  const locks = names.filter((name) => lockForm.test(name))
  const newest = locks.at(-1)
  const former = newest === undefined ? undefined : await files.readLock(join(folder, newest))
  if (former !== undefined && owner.isAlive(former)) throw inUse()
  const generation = 1 + Math.max(0, ...names.map((name) => generationOf(name) ?? 0))
  const path = join(folder, `${generationName(generation)}.lock`)
  if (!(await files.makeLock(path, owner.name))) throw inUse()
  for (const stale of locks) await files.remove(join(folder, stale)).catch(() => undefined)
  return { path, generation, former, names }
}

function inUse(): Error {
  return Object.assign(new Error('another process uses the spool folder: give each connector its own'), {
    code: 'EBUSY',
  })
}

/** Returns this process, which is known again by its identity ({@link processIdentity}). */
export function processOwner(): SpoolOwner {
  return {
    name: processIdentity(process.pid) ?? String(process.pid),
    // The first process of a container always has the same id.
    isAlive: (other) => other.split('-')[0] !== String(process.pid) && isRunning(other),
  }
}
