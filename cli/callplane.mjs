#!/usr/bin/env node
// `callplane`. Plain JavaScript, so that it starts on the machine's own Node. Runs main.ts on the project's own Node,
// or in this process where that is as new and no proxy is named: Node takes proxies only when it starts.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const modules = join(here, '..', 'node_modules')
const node = join(modules, '.bin', 'node')
/** Keeps compiled code between starts: a fifth of the CPU time. Unlike the temporary folder, it is the user's. */
const cache = join(modules, '.cache', 'callplane')
/** From this version on Node runs TypeScript as it is. */
const oldest = 24
/** NO_PROXY and the names in small letters are Node's to read, too. */
const namesProxy = ['HTTPS_PROXY', 'HTTP_PROXY'].some((name) => process.env[name] || process.env[name.toLowerCase()])
/** What is asked without a proxy: a platform on this machine always is. */
const direct = [process.env.no_proxy || process.env.NO_PROXY, 'localhost', '127.0.0.1', '[::1]', '::1']
  .filter(Boolean)
  .join()

if (!existsSync(join(modules, 'commander'))) {
  console.error(`callplane: its packages are not installed; run "npm ci" in ${dirname(here)}`)
  process.exitCode = 1
} else if (Number(process.versions.node.split('.')[0]) >= oldest && !namesProxy) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(cache)
  await import('./main.ts')
} else {
  const child = spawn(node, [join(here, 'main.ts'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: cache, NODE_USE_ENV_PROXY: '1', ...process.env, NO_PROXY: direct, no_proxy: direct },
  })
  // Ctrl-C reaches both processes by the terminal; a signal sent to this one alone is passed on. main.ts decides how
  // both end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    console.error(`callplane: ${node} cannot be run: ${error.message}; run "npm ci" in ${dirname(here)}`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
