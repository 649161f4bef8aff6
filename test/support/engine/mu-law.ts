/** Sound as phones send it: 8000 samples a second, one byte each (PCMU, G.711). */

/** Samples of a packet: 20 ms. */
export const samplesPerPacket = 160

/** The byte of a silent sample. */
export const silentByte = 0xff

/** Encodes one sample of 16 bits. */
function encodeSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(Math.round(sample)), 32_635) + 132
  const exponent = Math.floor(Math.log2(magnitude)) - 7
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 0xff
}

/** Decodes one byte to a sample of 16 bits. */
function decodeSample(byte: number): number {
  const bits = ~byte & 0xff
  const magnitude = (((bits & 15) << 3) + 132) << ((bits >> 4) & 7)
  return bits & 0x80 ? 132 - magnitude : magnitude - 132
}

/** Makes packets of a tone, each continuing the one before. */
export function toneMaker(hz: number, amplitude = 8_000): () => Buffer {
  let at = 0
  return () =>
    Buffer.from(
      Array.from({ length: samplesPerPacket }, () => {
        at += 1
        return encodeSample(amplitude * Math.sin((2 * Math.PI * hz * at) / 8_000))
      }),
    )
}

/** The loudest sample; comfort noise and the noise of an idle conference stay below. */
const audible = 256

/** Whether a person would hear something in a packet. */
export function hasSound(payload: Uint8Array): boolean {
  return payload.some((byte) => Math.abs(decodeSample(byte)) >= audible)
}

/** Whether a tone carries most of the energy of a packet with sound (Goertzel's algorithm, within about 25 Hz). */
export function hasTone(payload: Uint8Array, hz: number): boolean {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / 8_000)
  let [before, last, energy] = [0, 0, 0]
  for (const byte of payload) {
    const sample = decodeSample(byte)
    energy += sample * sample
    ;[before, last] = [last, sample + factor * last - before]
  }
  const power = last * last + before * before - factor * last * before
  return hasSound(payload) && (2 * power) / payload.length > energy / 2
}
