import { mkdir, readdir, readlink, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** A process that takes locks. */
export interface LockOwner {
  readonly name: string
  isAlive(name: string): boolean
}

/** The disk as a lock uses it. Each method rejects with the system's error when it fails. */
export interface LockFiles {
  /** Makes a folder that only this user can enter. Its parent is made too; both may exist. */
  makeFolder(path: string): Promise<void>
  /** The names in a folder; none where there is no folder. */
  list(path: string): Promise<readonly string[]>
  /** Makes a lock file that names its owner, in one step; `false` when there is one. */
  makeLock(path: string, owner: string): Promise<boolean>
  /** Returns the owner that a lock file names; nothing when it is gone. */
  readLock(path: string): Promise<string | undefined>
  remove(path: string): Promise<void>
}

/** A held lock of a folder. */
export interface FolderLock {
  readonly path: string
  /** Rises with each process that holds the lock, as long as it or a file of its generation is there. */
  readonly generation: number
  /** The owner of the lock that was taken over; absent when there was none. */
  readonly former: string | undefined
  readonly names: readonly string[]
}

/** Another process holds the lock of a folder, or tries to take it at the same moment. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  readonly code = 'EBUSY'
  readonly holder: string | undefined

  constructor(holder: string | undefined) {
    super('another process uses the folder: give each process its own')
    this.holder = holder
  }
}

const lockForm = /^\d{10}\.lock$/

/** Returns a generation as names begin with it, so that names sort in the order in which they were made. */
export function generationName(generation: number): string {
  return String(generation).padStart(10, '0')
}

function generationOf(name: string): number | undefined {
  const [, generation] = /^(\d{10})[-.]/.exec(name) ?? []
  return generation === undefined ? undefined : Number(generation)
}

/**
 * Takes the lock of a folder, which is made if need be. Locks of processes that are gone are taken over. Rejects with
 * {@link FolderInUse} while another process holds the lock, and for all but one, or all, of those that try at one time.
 *
 * Each process makes a lock file of its own, one generation after the newest, and then looks again. The second look
 * shows every process that took the lock after the first one: the number may have been used and removed meanwhile.
 */
export async function lockFolder(folder: string, files: LockFiles, owner: LockOwner): Promise<FolderLock> {
  await files.makeFolder(folder)
  const generation = 1 + newestOf((await look(folder, files, owner)).names)
  const path = join(folder, `${generationName(generation)}.lock`)
  if (!(await files.makeLock(path, owner.name))) throw new FolderInUse(await files.readLock(path))
  try {
    return await confirm({ folder, path, generation }, files, owner)
  } catch (error) {
    await files.remove(path).catch(() => undefined)
    throw error
  }
}

/** Looks again after a process has made its lock file, and removes the locks of processes that are gone. */
async function confirm(
  { folder, path, generation }: { readonly folder: string; readonly path: string; readonly generation: number },
  files: LockFiles,
  owner: LockOwner,
): Promise<FolderLock> {
  const { names, stale } = await look(folder, files, owner, path)
  if (newestOf(names) >= generation) throw new FolderInUse(undefined)
  for (const { name } of stale) await files.remove(join(folder, name)).catch(() => undefined)
  return { path, generation, former: stale.at(-1)?.holder, names }
}

/** Returns what is in a folder except the process's own lock. Rejects when a process that runs has a lock there. */
async function look(folder: string, files: LockFiles, owner: LockOwner, own?: string) {
  const names = (await files.list(folder)).filter((name) => join(folder, name) !== own).toSorted()
  const stale: { readonly name: string; readonly holder: string }[] = []
  for (const name of names.filter((each) => lockForm.test(each))) {
    const holder = await files.readLock(join(folder, name))
    if (holder === undefined) continue
    if (owner.isAlive(holder)) throw new FolderInUse(holder)
    stale.push({ name, holder })
  }
  return { names, stale }
}

function newestOf(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => generationOf(name) ?? 0))
}

/**
 * Makes the lock of a process again where the folder or the lock was removed by hand. Rejects with {@link FolderInUse}
 * when another process has taken the folder meanwhile.
 */
export async function holdAgain(folder: string, path: string, files: LockFiles, owner: LockOwner): Promise<void> {
  await files.makeFolder(folder)
  const isMade = await files.makeLock(path, owner.name)
  try {
    const holder = isMade ? owner.name : await files.readLock(path)
    if (holder !== owner.name) throw new FolderInUse(holder)
    await look(folder, files, owner, path)
  } catch (error) {
    if (isMade) await files.remove(path).catch(() => undefined)
    throw error
  }
}

/** The process's own disk. */
export const systemLockFiles: LockFiles = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 })
  },
  list: async (path) => (await unlessCode('ENOENT', readdir(path))) ?? [],
  // A symbolic link is created together with its target, so no process reads half a name.
  makeLock: async (path, owner) =>
    (await unlessCode(
      'EEXIST',
      symlink(owner, path).then(() => true),
    )) ?? false,
  readLock: (path) => unlessCode('ENOENT', readlink(path)),
  remove: (path) => unlink(path),
}

async function unlessCode<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined
    throw error
  }
}
