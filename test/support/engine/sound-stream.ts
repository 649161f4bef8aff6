/** The media of one call of a phone of the tests: RTP over UDP on the loopback address, PCMU, digits by RFC 2833. */
import { type Socket, createSocket } from 'node:dgram'
import { once } from 'node:events'
import { hasSound, hasTone, samplesPerPacket, silentByte, toneMaker } from './mu-law.ts'

/** What a phone heard: how many packets came, and how many of them with sound. */
export interface Heard {
  readonly packets: number
  readonly sound: number
}

/** Packets of half a second of sound. */
export const aWhile = 25

/** How long {@link SoundStream.hear} waits. */
const hearingPatienceMs = 20_000

/** The payload type of digits in offers of these phones. */
export const digitPayloadType = 101

const silence = Buffer.alloc(samplesPerPacket, silentByte)

/** The packets of a key: five while it is pressed, three that say that it was let go, and a pause. */
function keyPackets(key: string): ({ readonly event: Buffer; readonly isFirst: boolean } | undefined)[] {
  const code = '0123456789*#ABCD'.indexOf(key)
  if (code < 0) throw new Error(`no key ${key}`)
  const pressed = Array.from({ length: 8 }, (_, index) => {
    const event = Buffer.from([code, (index >= 5 ? 0x80 : 0) | 10, 0, 0])
    event.writeUInt16BE(samplesPerPacket * Math.min(index + 1, 6), 2)
    return { event, isFirst: index === 0 }
  })
  return [...pressed, ...Array.from({ length: 4 }, () => undefined)]
}

/** Opens a stream on a port of its own. */
export async function openSoundStream(ip: string): Promise<SoundStream> {
  const socket = createSocket('udp4')
  socket.bind(0, ip)
  await once(socket, 'listening')
  return new SoundStream(socket)
}

/** A stream in both directions. It sends a packet every 20 ms from the moment that it knows where to. */
export class SoundStream {
  readonly #socket: Socket
  readonly #clock: NodeJS.Timeout
  #target: { readonly address: string; readonly port: number } | undefined
  #tone: (() => Buffer) | undefined
  #sequence = 0
  #time = 0
  #keyTime = 0
  /** Packets of keys that wait to be sent, and who waits for that. */
  readonly #keys: (ReturnType<typeof keyPackets>[number] | (() => void))[] = []
  #packets = 0
  #sound = 0
  readonly #hearers = new Set<(payload: Uint8Array) => void>()
  readonly #senders = new Set<() => void>()

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('message', (packet) => this.#take(packet))
    this.#clock = setInterval(() => this.#sendNext(), 20)
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** What came so far. */
  get heard(): Heard {
    return { packets: this.#packets, sound: this.#sound }
  }

  /** Tells where the other side wants its packets. */
  sendTo(address: string, port: number): void {
    this.#target = { address, port }
  }

  /** Sends a tone from now on, and silence without a frequency. */
  sing(hz?: number): void {
    this.#tone = hz === undefined ? undefined : toneMaker(hz)
  }

  /** Presses keys (`0`–`9`, `*`, `#`, `A`–`D`) one after the other; resolves when they were sent. */
  press(digits: string): Promise<void> {
    return new Promise((resolve) => void this.#keys.push(...Array.from(digits).flatMap(keyPackets), resolve))
  }

  /**
   * Resolves when so many packets with sound have come from now on, or with a tone of a frequency. Rejects after 20 s
   * with what came instead.
   */
  hear(count: number, hz?: number): Promise<void> {
    const before = this.heard
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let left = count
    const settle = (how: () => void) => {
      clearTimeout(timer)
      this.#hearers.delete(hearer)
      how()
    }
    const hearer = (payload: Uint8Array) => {
      if (hz === undefined ? hasSound(payload) : hasTone(payload, hz)) left -= 1
      if (left === 0) settle(resolve)
    }
    const timer = setTimeout(() => {
      const { packets, sound } = this.#since(before)
      const wanted = hz === undefined ? 'with sound' : `with a tone of ${hz} Hz`
      const came = `${packets} packets came, ${sound} with sound`
      settle(() => reject(new Error(`${left} of ${count} packets ${wanted} are missing: ${came}`)))
    }, hearingPatienceMs)
    this.#hearers.add(hearer)
    return promise
  }

  /** Resolves with what came while this side sent so many packets: that is how a test proves silence. */
  listen(count: number): Promise<Heard> {
    const before = this.heard
    const { promise, resolve } = Promise.withResolvers<Heard>()
    let left = count
    const sender = () => {
      left -= 1
      if (left > 0) return
      this.#senders.delete(sender)
      resolve(this.#since(before))
    }
    this.#senders.add(sender)
    return promise
  }

  async close(): Promise<void> {
    clearInterval(this.#clock)
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #since({ packets, sound }: Heard): Heard {
    return { packets: this.#packets - packets, sound: this.#sound - sound }
  }

  #take(packet: Buffer): void {
    if ((packet[1] ?? 0) % 0x80 !== 0) return
    const payload = packet.subarray(12)
    this.#packets += 1
    if (hasSound(payload)) this.#sound += 1
    for (const hearer of this.#hearers) hearer(payload)
  }

  #sendNext(): void {
    if (this.#target === undefined) return
    this.#time += samplesPerPacket
    let next = this.#keys.shift()
    while (typeof next === 'function') {
      next()
      next = this.#keys.shift()
    }
    if (next === undefined) this.#send(0, this.#tone?.() ?? silence, this.#time)
    else {
      if (next.isFirst) this.#keyTime = this.#time
      this.#send(digitPayloadType | (next.isFirst ? 0x80 : 0), next.event, this.#keyTime)
    }
    for (const sender of this.#senders) sender()
  }

  #send(type: number, payload: Buffer, time: number): void {
    const header = Buffer.from([0x80, type, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    header.writeUInt16BE(this.#sequence % 0x1_0000, 2)
    header.writeUInt32BE(time, 4)
    this.#sequence += 1
    this.#socket.send(Buffer.concat([header, payload]), this.#target?.port, this.#target?.address)
  }
}
