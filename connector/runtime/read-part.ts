import type { FileHandle } from 'node:fs/promises'

/** Returns the bytes of an open file from an offset on: `length` of them, or as many as there are before its end. */
export async function readPart(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
