import { randomInt } from 'node:crypto'
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { type SimulatedEngine, startSimulatedEngine } from '@callplane/simulated-freeswitch'
import type { EngineAddress } from '../../connector/runtime/engine.ts'
import { isRung } from '../../core/accounts/dial-string.ts'
import type { DataFolder } from '../data/data-folder.ts'
import type { KeptSecrets } from '../data/kept-secrets.ts'
import { httpDialplan, httpDirectory } from './engine-lookups.ts'
import { PlainError, explainListenError } from '@callplane/laptop'
import type { Settings } from '../settings/settings.ts'

/** The engines of a run: the simulated one, or those that the settings name. */
export interface RunningEngine {
  readonly addresses: readonly EngineAddress[]
  /** Absent when the settings name other engines. */
  readonly simulated: SimulatedEngine | undefined
  /** The folder that the engines record to; absent where none is stored. */
  readonly recordingsDir: string | undefined
  close(): Promise<void>
}

/** The simulated engine's well-known password, as real engines ship it. */
const simulatedPassword = 'ClueCon'

/** Starts the simulated engine, unless the settings name others: those start and end by themselves. */
export async function startEngine(options: {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly kept: KeptSecrets
  readonly apiUrl: string
}): Promise<RunningEngine> {
  const { settings, folder, kept, apiUrl } = options
  const { engines } = settings
  if (engines.length > 0) {
    const { recordingsDir } = settings
    if (recordingsDir !== undefined) requireFolder(recordingsDir)
    return { addresses: engines, simulated: undefined, recordingsDir, close: () => Promise.resolve() }
  }
  const recordingsDir = folder.file('recordings')
  mkdirSync(recordingsDir, { recursive: true, mode: 0o700 })
  const host = '127.0.0.1'
  const platform = { url: apiUrl, credential: kept.engineCredential }
  const simulated = await startSimulatedEngine({
    host,
    port: settings.enginePort,
    password: simulatedPassword,
    directory: httpDirectory(platform),
    dialplan: httpDialplan(platform),
    gateways: httpDirectory(platform),
    ringsContact: isRung,
    emergencyNumbers: settings.emergencyNumbers.split(',').map((number) => number.trim()),
    // Each run is another engine: ids of the events of the last one must not come again.
    seed: randomInt(2 ** 31),
    recordingsDir,
  }).catch((error: unknown) => {
    throw explainListenError(error, { host, port: settings.enginePort })
  })
  return {
    addresses: [{ host, port: simulated.port, password: simulatedPassword }],
    simulated,
    recordingsDir,
    close: () => simulated.close(),
  }
}

/** Stored recordings are removed from it. */
function requireFolder(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new PlainError(`RECORDINGS_DIR must be a folder that this user can read and write, got "${path}"`)
  }
  if (!statSync(path).isDirectory()) throw new PlainError(`RECORDINGS_DIR must be a folder, got the file "${path}"`)
}
