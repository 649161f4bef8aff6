/**
 * Encrypted media for a phone of the tests (SRTP, RFC 3711, AES_CM_128_HMAC_SHA1_80): plain packets on one side,
 * encrypted ones on the other.
 */
import { createCipheriv, createHmac, randomBytes } from 'node:crypto'
import { type Socket, createSocket } from 'node:dgram'
import { once } from 'node:events'

/** The suite that these phones offer. */
const suite = 'AES_CM_128_HMAC_SHA1_80'
const tagBytes = 10

/** The keys of one direction. */
interface Keys {
  readonly cipher: Buffer
  readonly salt: Buffer
  readonly signing: Buffer
}

function keystream(key: Buffer, start: Buffer, length: number): Buffer {
  return createCipheriv('aes-128-ctr', key, start).update(Buffer.alloc(length))
}

/** Derives the keys of a direction from what the SDP says, 16 bytes of key and 14 of salt. */
function keysOf(master: Buffer): Keys {
  const [key, salt] = [master.subarray(0, 16), master.subarray(16, 30)]
  const derive = (label: number, length: number) => {
    const start = Buffer.concat([salt, Buffer.alloc(2)])
    start.writeUInt8((start[7] ?? 0) ^ label, 7)
    return keystream(key, start, length)
  }
  return { cipher: derive(0, 16), signing: derive(1, 20), salt: derive(2, 14) }
}

/** One direction. It counts how often the sequence number began again. */
class Direction {
  readonly #keys: Keys
  #rounds = 0
  #last: number | undefined

  constructor(master: Buffer) {
    this.#keys = keysOf(master)
  }

  encrypt(packet: Buffer): Buffer {
    const coded = this.#coded(packet)
    return Buffer.concat([coded, this.#tag(coded)])
  }

  /** Returns the plain packet, unless its signature is wrong. */
  decrypt(packet: Buffer): Buffer | undefined {
    const signed = packet.subarray(0, -tagBytes)
    const plain = this.#coded(signed)
    return this.#tag(signed).equals(packet.subarray(-tagBytes)) ? plain : undefined
  }

  #coded(packet: Buffer): Buffer {
    const sequence = packet.readUInt16BE(2)
    if (this.#last !== undefined && this.#last > 0xf000 && sequence < 0x1000) this.#rounds += 1
    this.#last = sequence
    const start = Buffer.concat([this.#keys.salt, Buffer.alloc(2)])
    const mixed = Buffer.alloc(16)
    packet.copy(mixed, 4, 8, 12)
    mixed.writeUInt32BE(this.#rounds, 8)
    mixed.writeUInt16BE(sequence, 12)
    for (const [index, byte] of mixed.entries()) start.writeUInt8((start[index] ?? 0) ^ byte, index)
    const stream = keystream(this.#keys.cipher, start, packet.length - 12)
    const payload = packet.subarray(12).map((byte, index) => byte ^ (stream[index] ?? 0))
    return Buffer.concat([packet.subarray(0, 12), payload])
  }

  #tag(signed: Buffer): Buffer {
    const rounds = Buffer.alloc(4)
    rounds.writeUInt32BE(this.#rounds)
    return createHmac('sha1', this.#keys.signing).update(signed).update(rounds).digest().subarray(0, tagBytes)
  }
}

/** A relay between a plain stream and an engine that wants encrypted media. */
export interface SrtpRelay {
  /** Where the stream sends to, and where the engine does. */
  readonly plainPort: number
  readonly port: number
  /** The line of SDP with the key of this side. */
  readonly crypto: string
  /** Connects both sides; `sdp` is the engine's. Throws when it names no key. */
  connect(streamPort: number, sdp: string): void
  close(): Promise<void>
}

/** Opens a relay on loopback ports of its own. */
export async function openSrtpRelay(): Promise<SrtpRelay> {
  const [plain, coded] = await Promise.all([bound(), bound()])
  const master = randomBytes(30)
  const out = new Direction(master)
  return {
    plainPort: plain.address().port,
    port: coded.address().port,
    crypto: `a=crypto:1 ${suite} inline:${master.toString('base64')}`,
    connect: (streamPort, sdp) => {
      const key = new RegExp(`^a=crypto:\\d+ ${suite} inline:([A-Za-z0-9+/=]+)`, 'm').exec(sdp)?.[1]
      const [address, port] = [/^c=IN IP4 ([0-9.]+)/m.exec(sdp)?.[1], /^m=audio (\d+) RTP\/SAVP/m.exec(sdp)?.[1]]
      if (key === undefined || port === undefined) throw new Error(`the other side does not encrypt:\n${sdp}`)
      const incoming = new Direction(Buffer.from(key, 'base64'))
      for (const socket of [plain, coded]) socket.removeAllListeners('message')
      plain.on('message', (packet) => coded.send(out.encrypt(packet), Number(port), address))
      coded.on('message', (packet) => {
        // RTCP has types of its own.
        if (((packet[1] ?? 0) & 0x7f) >= 64 && ((packet[1] ?? 0) & 0x7f) < 96) return
        const open = incoming.decrypt(packet)
        if (open !== undefined) plain.send(open, streamPort, '127.0.0.1')
      })
    },
    close: async () => {
      for (const socket of [plain, coded]) {
        socket.close()
        await once(socket, 'close')
      }
    },
  }
}

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.on('error', () => {})
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}
