import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The process that a spool belongs to. */
export interface SpoolOwner {
  /** Names this process and no other, also none of another time; letters, digits and dashes. */
  readonly name: string
  /** Whether the process of a name still runs. */
  isAlive(name: string): boolean
}

/** `<owner>.<epoch milliseconds>.<random>`. */
const form = /^([A-Za-z0-9-]{1,100})\.(\d{1,16})\.[0-9a-f]{12}$/

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
 * This process. It is named by its id and, where `/proc` tells them, its start time and the start of the machine, so
 * that a process of the same id that ran before, as the first one of a container always has, is known to be gone.
 */
export function processOwner(): SpoolOwner {
  return {
    name: identityOf(process.pid) ?? String(process.pid),
    isAlive: (name) => {
      const pid = Number(name.split('-')[0])
      return pid !== process.pid && Number.isSafeInteger(pid) && pid > 0 && identityOf(pid) === name
    },
  }
}

function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
    return `${pid}-${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}-${boot}`
  } catch {
    return String(pid)
  }
}
