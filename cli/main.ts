/** The entry of the program: connects it with the process. */
import { writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { exitCodes } from './failure/exit.ts'
import { run } from './program.ts'

/** An interrupted command may end in an orderly way within this time. */
const graceMs = 1000

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted.abort()
    setTimeout(() => process.exit(exitCodes.interrupted), graceMs).unref()
  })
}
// A reader such as `head` that has seen enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  writeSync(process.stderr.fd, `error: standard output cannot be written: ${error.message}\n`)
  process.exit(exitCodes.failed)
})

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  platform: process.platform,
  home: homedir(),
  signal: interrupted.signal,
})
