import { rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError } from '../failure/exit.ts'
import type { Output } from './output.ts'
import { fileExists } from './result-file.ts'

/**
 * Writes the body of an answer to a file that is not there yet, or to standard output for `-`, and returns its bytes. A
 * download that breaks off leaves no file. Throws where the answer is no success.
 */
export async function saveDownload(response: Response, path: string, out: Output): Promise<number> {
  if (!response.ok || response.body === null) {
    throw new CliError(`the download was answered ${response.status}: its link may have expired; run the command again`)
  }
  const total = Number(response.headers.get('content-length') ?? 0)
  let bytes = 0
  const count = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      out.progress(`${bytes} of ${total === 0 ? '?' : total} bytes`)
      yield chunk
    }
  }
  if (path === '-') {
    for await (const chunk of count(Readable.fromWeb(response.body))) await out.rawInTurn(chunk)
    return bytes
  }
  const file = await create(path).catch(async (error: unknown) => {
    await response.body?.cancel().catch(() => {})
    throw error
  })
  try {
    await pipeline(Readable.fromWeb(response.body), count, file.createWriteStream())
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
  return bytes
}

/** Opens a new file that only its user may read. */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EEXIST') throw error
    throw fileExists(path, error)
  }
}
