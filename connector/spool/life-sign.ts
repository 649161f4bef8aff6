import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { codeOf } from './spool-files.ts'

/** What nobody listens to, or is not there. */
const dead: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT'])

/**
 * Shows at a path that this process runs, until it ends or calls the answer: a socket there can be connected to, by
 * whoever shares the folder and the machine, also from another container. Rejects where the folder takes no socket, and
 * where the path is longer than a socket's may be (107 bytes).
 */
export async function showLifeSign(path: string): Promise<() => void> {
  const server = createServer((caller) => caller.destroy())
  server.unref()
  server.listen(path)
  await once(server, 'listening')
  return () => void server.close()
}

/** Whether a process shows at a path that it runs; also where that cannot be told. */
export function seesLifeSign(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const caller = createConnection(path)
    caller.once('connect', () => {
      caller.destroy()
      resolve(true)
    })
    caller.once('error', (problem) => resolve(!dead.has(codeOf(problem))))
  })
}
