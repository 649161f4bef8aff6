import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns a text that identifies a process and no other one, also none of an earlier time with the same id:
 * `<pid>-<start>-<boot>`, letters, digits and dashes. `undefined` when the process has ended. Without `/proc` the start
 * is a date from `ps`, and throws where that does not answer within a second.
 */
export function processIdentity(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined
  }
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return `${pid}-${startFromPs(pid)}`
  // Fields 3 and 22 of proc(5); the name before them may hold any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? ''
  // A zombie has ended; its parent has not asked for its exit status yet.
  return fields[0] === 'Z' ? undefined : `${pid}-${fields[19]}-${boot}`
}

/** Returns whether the process of an identity still runs; if the system does not say, it counts as running. */
export function isRunning(identity: string): boolean {
  const pid = Number(identity.split('-')[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    return processIdentity(pid) === identity
  } catch {
    return true
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The same text for one process, whatever the language and time zone of the caller. */
function startFromPs(pid: number): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const options = { encoding: 'utf8', timeout: 1_000, env } as const
  return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], options).replace(/[^A-Za-z0-9]/g, '')
}
