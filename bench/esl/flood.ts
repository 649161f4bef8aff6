/**
 * Plays an engine that floods its listener, as a process of its own: the ten thousand events that were recorded of a
 * busy engine, over and over, each time as another process of it with other calls of another of ten domains, so that no
 * event comes twice. Sends its port to its parent. `api bench <n>` answers a channel list of about n bytes.
 */
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'

const repetitions = 10
const core = '0cbd3e5d-2f9d-4e51-af19-4232d3d8d973'
const pieceBytes = 256 * 1024

const file = new URL('../../test/fixtures/freeswitch/bench/stream-json.out.gz', import.meta.url)
const recording = gunzipSync(readFileSync(file))
const events = recording.subarray(recording.indexOf('Content-Length: '))

/** Where the first digit of each uuid is, and the digit of each domain's name. */
const text = events.toString('latin1')
const uuids = Array.from(text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g), ({ index }) => index)
const domains = Array.from(text.matchAll(/tenant(?=1\.)/g), ({ index }) => index + 'tenant'.length)

function repeated(repetition: number): Buffer {
  const bytes = Buffer.from(events)
  for (const at of [...uuids, ...domains]) bytes.writeUInt8(48 + (repetition % 10), at)
  return bytes
}

async function flood(socket: Socket): Promise<void> {
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const bytes = repeated(repetition)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      if (socket.write(bytes.subarray(at, at + pieceBytes))) continue
      await new Promise((resolve) => socket.once('drain', resolve))
    }
  }
}

function channelList(bytes: number): Buffer {
  const rows: string[] = []
  for (let size = 0; size < bytes; size += rows.at(-1)?.length ?? 0) {
    const uuid = `00000000-0000-4000-8000-${String(rows.length).padStart(12, '0')}`
    rows.push(JSON.stringify({ uuid, name: `sofia/internal/${rows.length}@tenant1.example.com`, cid_name: 'Zoë' }))
  }
  return Buffer.from(JSON.stringify({ row_count: rows.length, rows: rows.map((row): unknown => JSON.parse(row)) }))
}

function answer(socket: Socket, command: string): void {
  const reply = (text: string) => socket.write(`Content-Type: command/reply\nReply-Text: ${text}\n\n`)
  const result = (body: Buffer) => {
    socket.write(`Content-Type: api/response\nContent-Length: ${body.length}\n\n`)
    socket.write(body)
  }
  const list = /^api bench (\d+)$/.exec(command)
  if (list) result(channelList(Number(list[1])))
  else if (command.startsWith('api')) result(Buffer.from(core))
  else reply('+OK')
  if (command.startsWith('event')) void flood(socket)
}

const server = createServer((socket) => {
  let rest = ''
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    const commands = `${rest}${chunk.toString()}`.split('\n\n')
    rest = commands.pop() ?? ''
    for (const command of commands) answer(socket, command)
  })
  socket.write('Content-Type: auth/request\n\n')
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  const count = text.split('Content-Type: text/event-').length - 1
  process.send?.({ port: address.port, events: count * repetitions })
})
