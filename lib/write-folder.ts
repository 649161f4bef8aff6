import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file to write: its absolute path and its content. */
export interface OutputFile {
  readonly path: string
  readonly contents: Uint8Array
}

/**
 * Makes a folder hold exactly these files. Files that are already right are not touched, so that a platform that runs
 * from the folder during a build rarely sees a half-written file.
 */
export function writeFolder(folder: string, files: readonly OutputFile[]): void {
  const wanted = new Set(files.map(({ path }) => path))
  for (const path of filesIn(folder)) {
    if (!wanted.has(path)) rmSync(path)
  }
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
}
