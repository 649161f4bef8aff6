/**
 * Runs once before the end-to-end tests: makes the assembly that all their platforms run, so that no two of them make
 * it at the same time.
 */
import { ensureAssembly } from '../../../local/synthesis/ensure-assembly.ts'

/** Bundles the functions and synthesizes the app, unless the sources are those of the assembly that is there. */
export default async function ensureTestAssembly(): Promise<void> {
  await ensureAssembly(process.cwd(), () => {}, new AbortController().signal)
}
