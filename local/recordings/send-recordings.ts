import { fileURLToPath } from 'node:url'
import type { DataFolder } from '../data/data-folder.ts'
import type { KeptSecrets } from '../data/kept-secrets.ts'
import { Supervised, startTiedProgram } from '@callplane/laptop'

/** The script that engines of the kit run, too: a laptop has no other way of recordings. */
const script = fileURLToPath(new URL('../../engine/bin/send-recordings', import.meta.url))

/**
 * Sends the recordings of a folder to the platform, by the engine kit's own script, until the returned function is
 * called. With `isKept` stored files stay in the folder.
 */
export function sendRecordings(options: {
  readonly from: string
  readonly to: string
  readonly kept: Pick<KeptSecrets, 'engineCredential'>
  readonly folder: DataFolder
  readonly isKept: boolean
}): () => Promise<void> {
  const { from, to, kept, folder, isKept } = options
  // Curl's own way of quoting. It goes through a pipe: a credential of the environment is written nowhere in the data
  // folder.
  const input = `user = "engine:${kept.engineCredential.replaceAll(/[\\"]/g, String.raw`\$&`)}"\n`
  const env = { ...process.env, SEND_RECORDINGS_KEEP: isKept ? 'on' : 'off' }
  const words = [script, from, `${to}/engine/recordings`, '-']
  const logFile = folder.file('logs/recordings.log')
  const start = () => startTiedProgram('sh', words, logFile, { env, input })
  const sender = new Supervised({ name: 'the sender of recordings', logFile, start, isOptional: true })
  return async () => sender.release()?.stop()
}
