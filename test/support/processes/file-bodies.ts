import { createHash } from 'node:crypto'
import type { FileBody } from '../../../core/recordings/file-store.ts'

/** A body of bytes in pieces of 64 KiB, as a file is read. */
export function aFileBody(content: string | Buffer, given: Partial<FileBody> = {}): FileBody {
  const bytes = Buffer.from(content)
  return {
    bytes: piecesOf(bytes),
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...given,
  }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

/** Bytes that no two places of are alike, always the same ones. */
export function manyBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(at, Math.min(at, size - 4))
  return bytes
}
