import { expect, it } from 'vitest'
import { lockFolder } from '../../../adapters/system/folder-lock.ts'
import { type Scene, type Step, everyOrder } from '../../support/processes/interleavings.ts'

/** A disk on which each call is a step of its process. */
function steppedFiles(names: Map<string, string>, step: Step) {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  return {
    makeFolder: () => Promise.resolve(),
    list: () => step(() => [...names.keys()].toSorted()),
    makeLock: (path: string, owner: string) =>
      step(() => {
        if (names.has(nameOf(path))) return false
        names.set(nameOf(path), owner)
        return true
      }),
    readLock: (path: string) => step(() => names.get(nameOf(path))),
    remove: (path: string) =>
      step(() => {
        if (!names.delete(nameOf(path))) throw new Error(`ENOENT: ${path}`)
      }),
  }
}

/** Processes, the locks that they find, and how many of the processes are killed. */
interface Case {
  readonly processes: number
  /** Locks of dead processes. */
  readonly left: readonly string[]
  readonly kills: number
}

/** Processes that each take the lock of a folder, write a file into it, and release the lock. */
function aScene({ processes, left }: Case): Scene {
  const names = new Map(left.map((name) => [name, 'dead']))
  const alive = new Set(Array.from({ length: processes }, (_, index) => `p${index}`))
  const holders = new Set<string>()
  const wrong: string[] = []
  const program = (name: string) => async (step: Step) => {
    const files = steppedFiles(names, step)
    const isAlive = (other: string) => other !== name && alive.has(other)
    const lock = await lockFolder('/folder', files, { name, isAlive }).catch(() => undefined)
    if (lock === undefined) return
    holders.add(name)
    const written = [...names.keys()].filter((each) => each.endsWith('.log'))
    const file = `${String(lock.generation).padStart(10, '0')}-events.log`
    for (const each of written) if (!lock.names.includes(each) || each >= file) wrong.push(`${name} missed ${each}`)
    await step(() => void names.set(file, name))
    holders.delete(name)
    await files.remove(lock.path)
  }
  return {
    programs: [...alive].map(program),
    ended: (process) => {
      alive.delete(`p${process}`)
      holders.delete(`p${process}`)
    },
    state: () => JSON.stringify([[...names].map(String).toSorted(), [...alive]]),
    // A plain comparison: it is made after each of a hundred thousand steps.
    check: () => {
      if (holders.size > 1) throw new Error(`${[...holders].join(' and ')} hold the lock at the same time`)
      if (wrong.length > 0) throw new Error(wrong.join('; '))
    },
  }
}

it.each<Case & { readonly found: string }>([
  { found: 'an empty folder', processes: 3, left: [], kills: 1 },
  { found: 'a stale lock', processes: 3, left: ['0000000005.lock'], kills: 0 },
  { found: 'two stale locks', processes: 2, left: ['0000000003.lock', '0000000005.lock'], kills: 2 },
])(
  'in every order of the steps of processes that find $found, at most one holds the lock, and it knows all files of the others',
  async (given) => {
    expect(await everyOrder(() => aScene(given), given.kills)).toBeGreaterThan(1000)
  },
)
