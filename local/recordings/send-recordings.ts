import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DataFolder } from '../data/data-folder.ts'
import type { KeptSecrets } from '../data/kept-secrets.ts'
import { openLog } from '../processes/log-file.ts'

/** The script that engines of the kit run, too: a laptop has no other way of recordings. */
const script = fileURLToPath(new URL('../../engine/bin/send-recordings', import.meta.url))

/** The wait before it is started again, if it ended. */
const restartMs = 5_000

/**
 * Sends the recordings of a folder to the platform, by the engine kit's own script, until the returned function is called.
 * With `isKept` stored files stay in the folder.
 */
export function sendRecordings(options: {
  readonly from: string
  /** The API's base address. */
  readonly to: string
  readonly kept: Pick<KeptSecrets, 'engineCredential'>
  readonly folder: DataFolder
  readonly isKept: boolean
}): () => Promise<void> {
  const { from, to, kept, folder, isKept } = options
  // Curl's own way of quoting. It goes through a pipe: a credential of the environment is written nowhere in the data folder.
  const config = `user = "engine:${kept.engineCredential.replaceAll(/[\\"]/g, String.raw`\$&`)}"\n`
  const log = openLog(folder.file('logs/recordings.log'))
  const env = {
    ...process.env,
    SEND_RECORDINGS_KEEP: isKept ? 'on' : 'off',
    SEND_RECORDINGS_WHILE: String(process.pid),
  }
  let timer: NodeJS.Timeout | undefined
  let child: ChildProcess | undefined
  const start = () => {
    // A group of its own: the script's programs end with it.
    const started = spawn('sh', [script, from, `${to}/engine/recordings`, '-'], {
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child = started
    started.stdin.on('error', () => {})
    started.stdin.end(config)
    started.stdout.pipe(log, { end: false })
    started.stderr.pipe(log, { end: false })
    started.on('error', (error) => log.write(`send-recordings: ${error.message}\n`))
    started.once('close', () => {
      child = undefined
      timer = setTimeout(start, restartMs)
    })
  }
  start()
  return async () => {
    const ending = child
    if (ending?.pid !== undefined) {
      const ended = once(ending, 'close')
      process.kill(-ending.pid, 'SIGTERM')
      await ended
    }
    clearTimeout(timer)
    log.end()
  }
}
