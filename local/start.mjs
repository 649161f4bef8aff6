// `npm start`. Plain JavaScript, so that it starts on the machine's own Node before anything is installed. Installs
// what is missing, then runs local/main.ts on the project's own Node.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endWith, ensureInstalled, pinnedNode, takeNoOptions } from './toolchain.mjs'

const startedAt = Date.now()
const here = dirname(fileURLToPath(import.meta.url))
const settings = JSON.parse(readFileSync(join(here, 'settings/settings.json'), 'utf8'))
const width = Math.max(...settings.map(({ name }) => name.length))
const lines = settings.map(
  ({ name, default: unset, meaning }) => `  ${name.padEnd(width)}  ${meaning}\n  ${' '.repeat(width)}  (${unset})`,
)
takeNoOptions('npm start', `Runs the platform on this machine. Set by environment variables:\n\n${lines.join('\n')}`)
ensureInstalled()
const child = spawn(
  pinnedNode,
  [
    '--disable-warning=ExperimentalWarning',
    // Young objects get 8 MB a space. By default they get 16 on a machine with more memory: 17 MB more in this process
    // alone. With 4 MB a seventh of the processor goes to their collection when 300 events a second pass.
    '--max-semi-space-size=8',
    // Garbage is collected when a heap has grown by 40 %. By default it may double first: 55 MB more under load.
    '--heap-growing-percent=40',
    join(here, 'main.ts'),
    String(startedAt),
  ],
  {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      // Compiled code is kept between starts: half a second less, and 25 MB.
      NODE_COMPILE_CACHE: join(here, '..', 'node_modules', '.cache', 'callplane'),
      // The 19 MiB of each password hash go back to the system at once: 100 MB less.
      MALLOC_MMAP_THRESHOLD_: '1048576',
      // Threads share two arenas: memory that one has freed serves the others.
      MALLOC_ARENA_MAX: '2',
      ...process.env,
    },
  },
)
// As in packages/laptop/processes/supervised.ts: a stopped platform is continued, and ended when it leaves six
// questions unanswered. Its start takes as long as it takes.
let unanswered = Number.NEGATIVE_INFINITY
child.on('message', () => (unanswered = 0))
setInterval(() => {
  if (process.platform !== 'win32') child.kill('SIGCONT')
  if (unanswered === 6) child.kill('SIGKILL')
  unanswered += 1
  if (child.connected) child.send('alive?')
}, 5_000).unref()
child.once('exit', (_code, signal) => {
  if (signal !== null) console.error(`callplane: the platform was ended (${signal}): npm start starts it again`)
})
// Ctrl-C reaches both processes by the terminal; a signal sent to this one alone is passed on, as a message: on Windows
// a signal would end the child at once. This process then waits: what main.ts does about it decides how both end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
// npm runs this in a shell of its own. A signal to stop ends that shell and nothing else.
if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    // Once: a second request would end the child at once.
    clearInterval(timer)
    stop()
  }, 500).unref()
}
endWith(child)

function stop() {
  if (child.connected) child.send('stop')
}
