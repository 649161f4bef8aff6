import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../adapters/log/logger.ts'
import { seesLifeSign, showLifeSign } from './life-sign.ts'
import { type SpoolFiles, codeOf } from './spool-files.ts'

/** The process that a spool belongs to. */
export interface SpoolOwner {
  /** Names this process and no other, also none of another time; letters, digits and dashes. */
  readonly name: string
  /** Whether the process of a name, which shows itself in `folder`, still runs. */
  isAlive(name: string, folder: string): boolean | Promise<boolean>
  /**
   * Shows in a folder, which exists, that this process runs, until the answer is called. Rejects where that cannot be
   * shown: then another container takes it for gone. Absent where nobody needs to be shown.
   */
  readonly show?: ((folder: string) => Promise<() => void>) | undefined
}

/** `<owner>.<epoch milliseconds>.<random>`. */
const form = /^([A-Za-z0-9-]{1,100})\.(\d{1,16})\.[0-9a-f]{12}$/

/** The name of an owner's life sign, beside its folders. */
const signForm = /^([A-Za-z0-9-]{1,100})\.sock$/

/** Whose life sign a name is; `undefined` for what is none. */
export function signOf(name: string): string | undefined {
  return signForm.exec(name)?.[1]
}

/** A new name for a folder with events that are an owner's since they were written first. */
export function folderName(owner: Pick<SpoolOwner, 'name'>, since: number): string {
  return `${owner.name}.${since}.${randomBytes(6).toString('hex')}`
}

/** Whose a folder is, and since when there is something in it; `undefined` for what is no folder of a spool. */
export function ownerOf(folder: string): { readonly name: string; readonly since: number } | undefined {
  const [, name, since] = form.exec(folder) ?? []
  return name === undefined ? undefined : { name, since: Number(since) }
}

/**
 * This process. It is named by its id and, where `/proc` tells them, its start time, the start of the machine and the
 * space that its id is of, so that a process of the same id that ran before, as the first one of a container always has,
 * is known to be gone. The ids of another container say nothing here: of its processes those run that show it.
 */
export function processOwner(): SpoolOwner {
  const name = identityOf(process.pid) ?? String(process.pid)
  const [, , ownBoot, ownSpace] = name.split('-')
  const signIn = (folder: string, owner: string) => join(folder, `${owner}.sock`)
  return {
    name,
    isAlive: (other, folder) => {
      const [id, , boot, space] = other.split('-')
      if (space !== undefined && boot === ownBoot && space !== ownSpace) return seesLifeSign(signIn(folder, other))
      const pid = Number(id)
      return pid !== process.pid && Number.isSafeInteger(pid) && pid > 0 && identityOf(pid) === other
    },
    show: (folder) => showLifeSign(signIn(folder, name)),
  }
}

/** Shows in the folder of a spool that its owner runs, or logs that it cannot. The answer, if any, ends that. */
export async function showOwner(
  { folder, files, owner }: { readonly folder: string; readonly files: SpoolFiles; readonly owner: SpoolOwner },
  log: Log,
): Promise<(() => void) | undefined> {
  if (owner.show === undefined) return undefined
  try {
    await files.makeFolder(folder)
    return await owner.show(folder)
  } catch (problem) {
    log.warn('other containers cannot see that this process uses its spool', { code: codeOf(problem) })
    return undefined
  }
}

function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return undefined
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
    // As `pid:[4026531836]`. A process whose id is known here is of the same space.
    const [space] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? []
    return `${pid}-${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}-${boot}-${space}`
  } catch {
    return String(pid)
  }
}
