/**
 * A real FreeSWITCH (`FREESWITCH_BIN`) with the configuration of the engine kit, on ports and in a folder of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { openEngineSocket } from './engine-socket.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

/** The engine's program; absent: tests of real engines are skipped. */
export const freeswitchBin = process.env['FREESWITCH_BIN']

/** The ports and folders of an engine. They stay the same when it is started again. */
export interface EnginePlace {
  readonly folder: string
  readonly socketPort: number
  readonly sipPort: number
  readonly recordings: string
  readonly cdrs: string
  readonly mailboxes: string
  /** Sounds of domains, in a folder for each. */
  readonly sounds: string
  /** Errors in the log so far. */
  errors(): string[]
  log(): string
  remove(): void
}

/** A running engine. */
export interface KitEngine {
  /** Runs a command on the event socket and answers its result. */
  api(command: string): Promise<string>
  /** Ends the process, by SIGTERM unless a signal is given. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Chooses ports and makes folders. */
export async function anEnginePlace(): Promise<EnginePlace> {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-kit-'))
  const [recordings, cdrs, mailboxes] = [join(folder, 'recordings'), join(folder, 'cdr'), join(folder, 'voicemail')]
  const sounds = join(folder, 'sounds')
  for (const name of ['log', 'db', 'run', 'recordings', 'cdr', 'voicemail', 'sounds']) mkdirSync(join(folder, name))
  const log = () => readFileSync(join(folder, 'log', 'freeswitch.log'), 'utf8')
  return {
    folder,
    socketPort: await freePort(),
    sipPort: await freePort(),
    recordings,
    cdrs,
    mailboxes,
    sounds,
    log,
    errors: () =>
      log()
        .split('\n')
        .filter((line) => /\[(?:ERR|CRIT|ALERT)\]/.test(line)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The configuration that the kit installs. */
export const kitConfiguration = join(process.cwd(), 'engine', 'conf')

/**
 * Copies the kit's configuration into a folder, with mod_loopback: calls of two legs need no phones then. Returns where
 * it is.
 */
export function withLoopback(kit: string, folder: string): string {
  const copy = join(folder, 'conf')
  cpSync(kit, copy, { recursive: true })
  const file = join(copy, 'modules.xml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('<load ', '<load module="mod_loopback"/>\n      <load '))
  return copy
}

/**
 * Starts an engine and waits until phones can register. `settings` are environment variables of the kit, and
 * `configuration` a folder with a changed copy of its files.
 */
export async function startKitEngine(
  place: EnginePlace,
  settings: Readonly<Record<string, string>>,
  configuration = kitConfiguration,
): Promise<KitEngine> {
  const { folder, socketPort, sipPort, recordings, cdrs, mailboxes, sounds } = place
  const folders = ['log', 'db', 'run'].flatMap((name) => [`-${name}`, join(folder, name)])
  const engine = spawn(freeswitchBin ?? '', ['-nf', '-nc', '-nonat', '-conf', configuration, ...folders], {
    stdio: 'ignore',
    env: {
      ...process.env,
      EVENT_SOCKET_PORT: String(socketPort),
      EVENT_SOCKET_PASSWORD: 'ClueCon',
      SIP_IP: '127.0.0.1',
      SIP_PORT: String(sipPort),
      GATEWAY_SIP_PORT: String(await freePort()),
      RECORDINGS_FOLDER: recordings,
      CDR_FOLDER: cdrs,
      VOICEMAIL_FOLDER: mailboxes,
      SOUNDS_FOLDER: sounds,
      ...settings,
    },
  })
  const api = async (command: string) => {
    const socket = await openEngineSocket(socketPort)
    try {
      return await socket.api(command)
    } finally {
      await socket.close()
    }
  }
  await untilPhonesCanRegister(engine, api)
  return {
    api,
    stop: async (signal = 'SIGTERM') => {
      if (engine.exitCode !== null || engine.signalCode !== null) return
      engine.kill(signal)
      await once(engine, 'exit')
    },
  }
}

async function untilPhonesCanRegister(engine: ChildProcess, api: (command: string) => Promise<string>): Promise<void> {
  const status = async () => {
    if (engine.exitCode !== null || engine.signalCode !== null) return 'ended'
    return /phones\tprofile\t.*RUNNING/.test(await api('sofia status').catch(() => '')) ? 'ready' : 'starting'
  }
  const reached = await vi.waitUntil(async () => [await status()].find((word) => word !== 'starting'), {
    timeout: 60_000,
    interval: 50,
  })
  if (reached === 'ended') throw new Error('the engine ended while it started')
}
