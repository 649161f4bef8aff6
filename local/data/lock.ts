import { FolderInUse, lockFolder, systemLockFiles } from '../../adapters/system/folder-lock.ts'
import { isRunning, processIdentity } from '../../adapters/system/process-identity.ts'
import { PlainError } from '@callplane/laptop'

/** A held lock. */
export interface Lock {
  release(): Promise<void>
}

/**
 * Locks a data folder for this process ({@link lockFolder}). The lock of a killed process is distinguished from a held
 * one, even when its id is in use again. Rejects with a plain sentence when another process holds it.
 */
export async function takeLock(folder: string): Promise<Lock> {
  const name = processIdentity(process.pid) ?? String(process.pid)
  try {
    const { path } = await lockFolder(folder, systemLockFiles, { name, isAlive: isRunning })
    return {
      async release() {
        if ((await systemLockFiles.readLock(path)) === name) await systemLockFiles.remove(path)
      },
    }
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    const holder = error.holder === undefined ? '' : ` (process ${error.holder.split('-')[0]})`
    throw new PlainError(`another npm start${holder} uses this DATA_DIR: stop it or choose another`)
  }
}
