/** A name server for tests: over UDP on a free port of 127.0.0.1. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/**
 * The addresses of each name, and other records as `SRV <port> <name>` and `NAPTR <name>`; `silent` for a name that is
 * never answered. A name that is missing does not exist.
 */
export type Zone = Readonly<Record<string, readonly string[] | 'silent'>>

/** A running name server. */
export interface NameServer {
  /** `address:port`. */
  readonly at: string
  /** Every question that came, as `A name` or `AAAA name`. */
  readonly asked: readonly string[]
  /** Settles when so many questions have come since the start. */
  untilAsked(count: number): Promise<void>
}

const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA', 33: 'SRV', 35: 'NAPTR' }

/** Starts a name server of a zone; when the test ends it answers what it was silent to, and closes. */
export async function aNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  const held: (() => void)[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(`${types[type] ?? type} ${name}`)
    socket.emit('asked')
    const known = zone[name]
    const addresses = known === undefined || known === 'silent' ? [] : known
    const records = addresses.filter((each) => kindOf(each) === types[type]).map(bytesOf)
    const send = () => socket.send(answer(query.subarray(0, end), type, records, known !== undefined), port, address)
    if (known === 'silent') held.push(send)
    else send()
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(async () => {
    for (const send of held) send()
    await new Promise<void>((closed) => socket.close(closed))
  })
  return {
    at: `127.0.0.1:${socket.address().port}`,
    asked,
    async untilAsked(count) {
      while (asked.length < count) await once(socket, 'asked')
    },
  }
}

/** The only question of a query (RFC 1035, section 4.1.2). */
function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function kindOf(record: string): string {
  return /^(?:SRV|NAPTR)\b/.exec(record)?.[0] ?? (record.includes(':') ? 'AAAA' : 'A')
}

/** A name, or a text, as records hold them. */
function labelsOf(name: string): Buffer {
  return Buffer.concat(
    [...name.split('.'), ''].map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
  )
}

function bytesOf(address: string): Buffer {
  const [kind, ...parts] = address.split(' ')
  const name = labelsOf(parts.at(-1) ?? '')
  if (kind === 'SRV')
    return Buffer.concat([Buffer.from([0, 0, 0, 0, Math.floor(Number(parts[0]) / 256), Number(parts[0]) % 256]), name])
  if (kind === 'NAPTR')
    return Buffer.concat([
      Buffer.from([0, 0, 0, 0, 1]),
      Buffer.from('s'),
      Buffer.from([7]),
      Buffer.from('SIP+D2U'),
      Buffer.from([0]),
      name,
    ])
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [left = '', right = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [first, last] = [groups(left), groups(right)]
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
  return Buffer.from(all.flatMap((group) => [Math.floor(group / 256), group % 256]))
}

/** An answer with a record for each address, or one that says that the name does not exist. */
function answer(query: Buffer, type: number, records: readonly Buffer[], exists: boolean): Buffer {
  const head = Buffer.from(query)
  head.writeUInt16BE(exists ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  const lines = records.map((data) => {
    const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([head, ...lines])
}
