import { cpSync, rmSync } from 'node:fs'
import type { DataFolder } from '../data/data-folder.ts'

/**
 * Copies an assembly into the folder of a run, replacing the copy of an earlier one, and returns its path: the running
 * one stays complete when the assembly is rebuilt.
 */
export function keepAssembly(assembly: string, folder: DataFolder): string {
  const kept = folder.file('assembly')
  rmSync(kept, { recursive: true, force: true })
  cpSync(assembly, kept, { recursive: true })
  return kept
}
