import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isRunning, processIdentity } from '../../adapters/system/process-identity.ts'
import { PlainError } from '../processes/plain-error.ts'

/** A held lock. */
export interface Lock {
  release(): void
}

/**
 * Locks a data folder for this process. The file holds the process's identity, so that the lock of a killed process is
 * distinguished from a held one, even when its id is in use again. Throws a plain sentence when another process holds it.
 */
export function takeLock(path: string): Lock {
  const mine = processIdentity(process.pid) ?? String(process.pid)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    while (!linked(draft, path)) {
      const holder = readHolder(path)
      if (holder === undefined) continue
      if (isRunning(holder)) {
        throw new PlainError(
          `another npm start (process ${holder.split('-')[0]}) uses this DATA_DIR: stop it or choose another`,
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

/** Creates a link atomically: the lock file is never visible without its holder in it. */
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
