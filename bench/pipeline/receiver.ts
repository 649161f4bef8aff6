/**
 * A receiver of hooks as a process of its own: it answers at once and remembers when each event came, by its
 * `Bench-Number`. Reports its port at its start, and all arrivals when it is asked.
 */
import { createServer } from 'node:http'

let arrivals: [number: number, at: number][] = []

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(204).end()
    const [, number] = /"Bench-Number":"(\d+)"/.exec(Buffer.concat(chunks).toString('latin1')) ?? []
    if (number !== undefined) arrivals.push([Number(number), performance.timeOrigin + performance.now()])
  })
})

process.on('message', (message) => {
  if (message === 'report') {
    process.send?.({ arrivals })
    arrivals = []
  }
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) process.send?.({ port: address.port })
})
