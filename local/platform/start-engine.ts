import { randomInt } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { DataFolder } from '../data/data-folder.ts'
import type { KeptSecrets } from '../data/kept-secrets.ts'
import { httpDirectory } from '../engine/http-directory.ts'
import { type SimulatedEngine, startSimulatedEngine } from '../engine/simulated-engine.ts'
import { explainListenError } from '../processes/listen.ts'
import type { EngineAddress } from '../../connector/engine.ts'
import type { Settings } from '../settings.ts'
import { awaitEngine } from './await-engine.ts'

/** The engines of a run: the simulated one, or those that the settings name. */
export interface RunningEngine {
  readonly addresses: readonly EngineAddress[]
  /** Absent when the settings name other engines. */
  readonly simulated: SimulatedEngine | undefined
  /** Where the simulated engine's recordings are. */
  readonly recordingsDir: string | undefined
  close(): Promise<void>
}

/** The simulated engine's well-known password, as real engines ship it. */
const simulatedPassword = 'ClueCon'

/** Starts the simulated engine, or waits for each one that the settings name. */
export async function startEngine(options: {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly kept: KeptSecrets
  /** Where the directory is: the API's base address. */
  readonly apiUrl: string
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
}): Promise<RunningEngine> {
  const { settings, folder, kept, apiUrl, progress, signal } = options
  if (settings.engines.length > 0) {
    await Promise.all(settings.engines.map((engine) => awaitEngine(engine, progress, signal)))
    return {
      addresses: settings.engines,
      simulated: undefined,
      recordingsDir: undefined,
      close: () => Promise.resolve(),
    }
  }
  const recordingsDir = folder.file('recordings')
  mkdirSync(recordingsDir, { recursive: true, mode: 0o700 })
  const host = '127.0.0.1'
  const simulated = await startSimulatedEngine({
    host,
    port: settings.enginePort,
    password: simulatedPassword,
    directory: httpDirectory({ url: apiUrl, credential: kept.engineCredential }),
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
