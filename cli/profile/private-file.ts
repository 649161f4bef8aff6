import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Files in folders that only their user may read. */
const fileMode = 0o600
const folderMode = 0o700

/**
 * Replaces a file at once: a reader sees the old content or the new one, also after a crash in between. The file and
 * its folder are readable by their user alone, whatever the umask.
 */
export function writePrivateFile(path: string, text: string): void {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: folderMode })
  const next = `${path}.${randomUUID()}.tmp`
  try {
    writeFileSync(next, text, { mode: fileMode, flag: 'wx', flush: true })
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** Returns a file's content; nothing where there is none. Takes away what others may do with it. */
export function readPrivateFile(path: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, fileMode)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Removes a file; one that is not there is fine. */
export function removePrivateFile(path: string): void {
  rmSync(path, { force: true })
}

/** Returns the names of a folder's files, sorted; none where there is no folder. */
export function listPrivateFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
