import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningCommand, startCommand } from './command.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

/** Runs `npm start`'s own command in a process of its own, on free ports unless `variables` say otherwise. */
export async function runStart(variables: Readonly<Record<string, string>>): Promise<RunningCommand> {
  const ports = { PORT: String(await freePort()), ENGINE_PORT: String(await freePort()) }
  const env = { ...process.env, ...ports, ...variables }
  return startCommand(process.execPath, ['local/start.mjs'], { cwd: process.cwd(), env })
}

/** A folder for state that is removed when the test is over. */
export function temporaryState(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'callplane-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
