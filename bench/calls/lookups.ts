/**
 * A relay between an engine and the platform, as a process of its own: it times each request as the engine sees it,
 * from its first bytes to the first bytes of the answer. Its words are the port of the platform. Reports its port at
 * its start, and all requests when it is asked.
 */
import { connect, createServer } from 'node:net'

/**
 * A request of the engine: its path, the status of its answer (0: the engine hung up before it came), and how long that
 * took.
 */
export type Lookup = readonly [path: string, status: number, ms: number]

let lookups: Lookup[] = []

const server = createServer((engine) => {
  const platform = connect(Number(process.argv[2]), '127.0.0.1')
  let asked: { readonly path: string; readonly at: number } | undefined
  const end = (status: number) => {
    if (asked !== undefined) lookups.push([asked.path, status, performance.now() - asked.at])
    asked = undefined
  }
  engine.on('data', (bytes: Buffer) => {
    const [, path] = /^POST (\/engine\/\w+)/.exec(bytes.subarray(0, 100).toString('latin1')) ?? []
    if (path !== undefined) asked = { path, at: performance.now() }
    platform.write(bytes)
  })
  platform.on('data', (bytes: Buffer) => {
    if (asked !== undefined) end(Number(bytes.subarray(9, 12).toString('latin1')))
    engine.write(bytes)
  })
  engine.on('error', () => {})
  platform.on('error', () => {})
  engine.on('close', () => {
    end(0)
    platform.destroy()
  })
  platform.on('close', () => engine.end())
})

process.on('message', () => {
  process.send?.({ lookups })
  lookups = []
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) process.send?.({ port: address.port })
})
