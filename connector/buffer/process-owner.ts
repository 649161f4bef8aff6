import type { LockOwner } from '../../adapters/system/folder-lock.ts'
import { isRunning, processIdentity } from '../../adapters/system/process-identity.ts'

/** Returns this process, which is known again by its identity ({@link processIdentity}). */
export function processOwner(): LockOwner {
  return {
    name: processIdentity(process.pid) ?? String(process.pid),
    // The first process of a container always has the same id.
    isAlive: (other) => other.split('-')[0] !== String(process.pid) && isRunning(other),
  }
}
