/** Java programs that come from Maven Central: exactly the files of a list, checked and kept. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const repository = 'https://repo1.maven.org/maven2'

/** How many files are asked for at once, and how long one may take: the largest has 11 MB. */
const atOnce = 8
const fileLimitMs = 120_000

/** The folder of the files, or why they cannot be had here. */
export type FetchedArtifacts = { readonly folder: string } | { readonly missing: string }

/** A program to get. */
export interface WantedArtifacts {
  readonly cache: string
  readonly leastJava: number
  /** The SHA-256 of each file, by its coordinates `group:artifact:version`. */
  readonly checksums: Readonly<Record<string, string>>
  readonly onDownload?: () => void
  readonly signal?: AbortSignal
}

/**
 * Downloads the files of a program once, from Maven Central. Does not reject if Java or the repository is missing.
 * Rejects for a file with a wrong checksum, which has to be looked into.
 */
export async function fetchArtifacts(wanted: WantedArtifacts): Promise<FetchedArtifacts> {
  const { cache, leastJava, checksums, onDownload, signal } = wanted
  const java = javaVersion()
  if (java === undefined || java < leastJava) return { missing: `no Java ${leastJava} or later is installed` }
  const list = createHash('sha256').update(JSON.stringify(checksums)).digest('hex')
  const folder = join(cache, list.slice(0, 16))
  if (existsSync(folder)) return { folder }
  onDownload?.()
  // A folder of its own: a start that is ended meanwhile leaves no half of a program under its name.
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  try {
    const left = Object.entries(checksums)
    const workers = Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await fetchFile(partial, ...next, signal)
    })
    await Promise.all(workers)
    moveUnlessThere(partial, folder)
    return { folder }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof Unreachable)) throw error
    return { missing: error.message }
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** Another start may have put the same files there meanwhile. */
function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
}

class Unreachable extends Error {}

async function fetchFile(folder: string, coordinates: string, expected: string, signal?: AbortSignal): Promise<void> {
  const [group = '', artifact = '', version = ''] = coordinates.split(':')
  const file = `${artifact}-${version}.jar`
  const url = `${repository}/${group.replaceAll('.', '/')}/${artifact}/${version}/${file}`
  const body = await read(url, signal)
  const found = createHash('sha256').update(body).digest('hex')
  if (found !== expected) throw new Error(`${url} has the SHA-256 ${found} instead of ${expected}`)
  writeFileSync(join(folder, file), body)
}

async function read(url: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const limits = [AbortSignal.timeout(fileLimitMs), ...(signal === undefined ? [] : [signal])]
  try {
    const response = await fetch(url, { signal: AbortSignal.any(limits) })
    if (!response.ok) throw new Unreachable(`${url} answers ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  } catch (error) {
    if (error instanceof Unreachable) throw error
    throw new Unreachable(`${repository} cannot be reached`, { cause: error })
  }
}

function javaVersion(): number | undefined {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8', windowsHide: true })
  const [, major] = /version "(\d+)/.exec(stderr ?? '') ?? []
  return major === undefined ? undefined : Number(major)
}
