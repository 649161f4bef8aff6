import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { PlainError } from '../processes/plain-error.ts'

/** A held lock. */
export interface Lock {
  release(): void
}

/**
 * Takes the lock of a data folder for this process. The file names the process by id and start time, so that a lock
 * which a killed process left behind is told from one that is held, even when its id is in use again.
 * Throws a plain sentence when another process holds it.
 */
export function takeLock(path: string): Lock {
  const mine = identityOf(process.pid) ?? String(process.pid)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    while (!linked(draft, path)) {
      const holder = readHolder(path)
      if (holder === undefined) continue
      if (isAlive(holder)) {
        throw new PlainError(
          `another npm start (process ${holder.split(' ')[0]}) uses this DATA_DIR: stop it or choose another`,
        )
      }
      rmSync(path, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return {
    release() {
      if (readHolder(path) === mine) rmSync(path, { force: true })
    },
  }
}

/** A link is made whole or not at all: nobody ever sees a lock file without its holder in it. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function readHolder(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(' ')[0])
  return Number.isInteger(pid) && pid > 0 && identityOf(pid) === holder
}

/**
 * A process's id and, where `/proc` tells it (field 22 of `stat`), its start time; `undefined` when it is gone. Other
 * systems tell by the id alone.
 */
function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return String(pid)
  }
}
