/** Runs the platform until it receives a signal to stop. Started by local/start.mjs, on the project's own Node. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { writeDemoProfile } from './platform/demo-profile.ts'
import { startProgress } from './platform/start-progress.ts'
import { startupReport } from './platform/startup-report.ts'
import { startPlatform } from './platform/start-platform.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { endInWords } from './processes/end-in-words.ts'
import { PlainError } from '@callplane/laptop'
import { readSettings } from './settings/settings.ts'

/** A terminal's Ctrl-C arrives by several ways at once; a person's second one comes later than this. */
const sameSignalMs = 1000

/** The platform holds 180 files at rest, and each connection takes one more. */
const leastFiles = 512

// All files that this process writes from here on are readable only by their owner.
process.umask(0o077)
// The starter says when it began; what it installed took longer than the rest.
const startedAt = Number(process.argv[2] ?? Date.now())
const progress = startProgress(process.stdout, startedAt)
guardTerminals()
const stopping = new AbortController()
let stoppedAt = 0

function failed(error: unknown): void {
  progress.end()
  console.error(endInWords(error))
  process.exitCode = 1
}

function askToStop(): void {
  if (stoppedAt !== 0 && Date.now() - stoppedAt > sameSignalMs) process.exit(1)
  if (stoppedAt === 0) stoppedAt = Date.now()
  stopping.abort()
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, askToStop)
// The starter passes signals on, and may be gone, however it went.
process.on('message', (message) => void (message === 'stop' ? askToStop() : process.send?.('alive')))
process.once('disconnect', askToStop)
process.channel?.unref()
// The reader of the output may have ended, or its disk may be full.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.on('uncaughtException', (error) => {
  failed(error)
  // A part that cannot go on says so in a sentence; the others still stop in order.
  if (error instanceof PlainError) stopping.abort()
  else process.exit()
})

try {
  const settings = readSettings(process.env)
  // Where there is no shell or no limit, this is no number.
  const files = Number(spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout)
  if (files > 0 && files < leastFiles)
    throw new PlainError(`a process may open ${files} files here: raise the limit to ${leastFiles} (ulimit -n)`)
  const platform = await startPlatform({
    root: join(import.meta.dirname, '..'),
    settings,
    progress: (line) => progress.stage(line),
    notice: (line) => console.log(line),
    signal: stopping.signal,
  })
  const { url, demo } = platform
  const { host, dataDir: folder } = settings
  const hasProfile = await writeDemoProfile({ url, host, folder, passwords: demo.passwords })
  progress.end()
  console.log(startupReport({ ...platform, hasProfile }, settings, Date.now() - startedAt))
  if (!stopping.signal.aborted) {
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
  }
  console.log('\nstopping; events that wait are handed over or kept, which may take half a minute …')
  await platform.stop().catch(failed)
} catch (error) {
  if (!stopping.signal.aborted) failed(error)
}
process.exit()
