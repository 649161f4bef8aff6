import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../packages/laptop/processes/free-port.ts'

/** A real engine with the configuration of the kit, on the loopback address. */
export interface BenchEngine {
  readonly process: ChildProcess
  readonly sipPort: number
  readonly log: () => string
  stop(): Promise<void>
}

/** The credential of the engine at the platform; the password of its event socket is `ClueCon`. */
export const engineCredential = 'bench-engine'

/** Starts a FreeSWITCH in a folder and waits until its profile of phones runs. */
export async function startEngine(
  program: string,
  {
    folder,
    platformUrl,
    socketPort,
  }: { readonly folder: string; readonly platformUrl: string; readonly socketPort: number },
): Promise<BenchEngine> {
  const sipPort = await freePort()
  const names = ['log', 'db', 'run', 'recordings', 'cdr']
  for (const name of names) mkdirSync(join(folder, name), { recursive: true })
  const folders = names.slice(0, 3).flatMap((name) => [`-${name}`, join(folder, name)])
  const engine = spawn(
    program,
    ['-nf', '-nc', '-nonat', '-conf', join(import.meta.dirname, '../../engine/conf'), ...folders],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        PLATFORM_URL: platformUrl,
        ENGINE_CREDENTIAL: engineCredential,
        EVENT_SOCKET_PORT: String(socketPort),
        EVENT_SOCKET_PASSWORD: 'ClueCon',
        SIP_IP: '127.0.0.1',
        SIP_PORT: String(sipPort),
        GATEWAY_SIP_PORT: String(await freePort()),
        RECORDINGS_FOLDER: join(folder, 'recordings'),
        CDR_FOLDER: join(folder, 'cdr'),
      },
    },
  )
  const log = () => {
    try {
      return readFileSync(join(folder, 'log', 'freeswitch.log'), 'utf8')
    } catch {
      return ''
    }
  }
  const deadline = performance.now() + 60_000
  while (!/Started Profile phones/i.test(log())) {
    if (engine.exitCode !== null || performance.now() > deadline) throw new Error('the engine did not start')
    await pause(100)
  }
  return {
    process: engine,
    sipPort,
    log,
    async stop() {
      const ended = once(engine, 'exit')
      engine.kill('SIGKILL')
      await ended
    },
  }
}
