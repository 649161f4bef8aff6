import { cpSync, rmSync } from 'node:fs'
import type { DataFolder } from '../data/data-folder.ts'

/**
 * Copies an assembly into the folder of a run, in place of the copy of an earlier one, and answers where it is: what
 * runs stays whole when the assembly is made anew beside it.
 */
export function keepAssembly(assembly: string, folder: DataFolder): string {
  const kept = folder.file('assembly')
  rmSync(kept, { recursive: true, force: true })
  cpSync(assembly, kept, { recursive: true })
  return kept
}
