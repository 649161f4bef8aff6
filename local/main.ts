/** Runs the platform until it receives a signal to stop. Started by local/start.mjs, on the project's own Node. */
import { join } from 'node:path'
import { inspect } from 'node:util'
import { startupReport } from './platform/startup-report.ts'
import { startPlatform } from './platform/start-platform.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { PlainError } from './processes/plain-error.ts'
import { readSettings } from './settings/settings.ts'

/** A terminal's Ctrl-C arrives by several ways at once; a person's second one comes later than this. */
const sameSignalMs = 1000

// All files that this process writes from here on are readable only by their owner.
process.umask(0o077)
guardTerminals()
const startedAt = Date.now()
const stopping = new AbortController()
let stoppedAt = 0

function askToStop(): void {
  if (stoppedAt !== 0 && Date.now() - stoppedAt > sameSignalMs) process.exit(1)
  if (stoppedAt === 0) stoppedAt = Date.now()
  stopping.abort()
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, askToStop)
// The starter passes signals on, and may be gone, however it went.
process.on('message', askToStop)
process.once('disconnect', askToStop)
process.channel?.unref()

try {
  const settings = readSettings(process.env)
  const platform = await startPlatform({
    root: join(import.meta.dirname, '..'),
    settings,
    progress: (line) => console.log(`${line} …`),
    notice: (line) => console.log(line),
    signal: stopping.signal,
  })
  console.log(startupReport(platform, settings, Date.now() - startedAt))
  if (!stopping.signal.aborted) {
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
  }
  console.log('\nstopping; events that wait are handed over or kept, which may take half a minute …')
  await platform.stop()
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof PlainError ? `callplane: ${error.message}` : inspect(error))
    process.exitCode = 1
  }
}
process.exit()
