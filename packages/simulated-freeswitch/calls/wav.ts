const sampleRate = 8_000
const toneHertz = 440
const headerBytes = 44

/** Returns the 44-byte head of a WAV file: one channel of 16-bit samples at 8 kHz. */
export function wavHeader(samples: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  const dataBytes = samples * 2
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(samples === 0 ? 0 : headerBytes - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/** Returns a whole WAV file of a tone. */
export function toneFile(samples: number, hertz = toneHertz): Buffer {
  const data = Buffer.alloc(samples * 2)
  for (let at = 0; at < samples; at++) {
    data.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * hertz * at) / sampleRate)), at * 2)
  }
  return Buffer.concat([wavHeader(samples), data])
}
