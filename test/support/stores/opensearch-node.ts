/** One node of the real OpenSearch: its server and modules come by Maven. A judge besides the embedded server. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCommand } from '../platform/command.ts'
import { type FetchedArtifacts, canCompileJava, fetchArtifacts } from './maven.ts'
import { openSearchArtifacts } from './opensearch-artifacts.ts'

/** The version that the search domain of a deployment runs. */
const version = '2.19.4'

/** OpenSearch 2 is compiled for Java 11; the least that it is tried with here is this. */
const leastJava = 17

/** HTTP, deletion by query, scripts (which deletion by query loads), fields of the extra kinds, text analysis. */
const modules = [
  'org.opensearch.transport.Netty4Plugin',
  'org.opensearch.index.reindex.ReindexPlugin',
  'org.opensearch.painless.PainlessPlugin',
  'org.opensearch.index.mapper.MapperExtrasPlugin',
  'org.opensearch.analysis.common.CommonAnalysisPlugin',
]

/** A running node. */
export interface OpenSearchNode {
  readonly endpoint: string
  /** Resident memory of its process, MiB. */
  readonly memoryMib: () => number
  readonly close: () => Promise<void>
}

/** Gets the server, once: exactly the pinned files. Never throws for a lack. */
export function fetchOpenSearch(): FetchedArtifacts {
  const list = createHash('sha256').update(JSON.stringify(openSearchArtifacts)).digest('hex')
  const fetched = fetchArtifacts({
    name: 'opensearch',
    version: `${version}-${list.slice(0, 8)}`,
    leastJava,
    artifacts: Object.keys(openSearchArtifacts),
    checksums: openSearchArtifacts,
  })
  if ('folder' in fetched && !canCompileJava()) return { missing: 'the installed Java has no compiler' }
  return fetched
}

/** Starts an empty node on a free port of 127.0.0.1, with a heap of 384 MiB. Close it at the end of the test. */
export async function startOpenSearch(folder: string): Promise<OpenSearchNode> {
  const home = mkdtempSync(join(tmpdir(), 'callplane-opensearch-'))
  mkdirSync(join(home, 'config'))
  // The cheapest collector and compiler: a test is over before the dearer ones pay.
  const machine = ['-Xms64m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${folder}/*`]
  const source = join(import.meta.dirname, 'OpenSearchNode.java')
  const node = startCommand('java', [...machine, source, home, ...modules], { cwd: home })
  const close = async () => {
    node.child.kill('SIGTERM')
    await node.ended()
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const [, port] = await node.printed(/^listening on (\d+)$/m)
    return { endpoint: `http://127.0.0.1:${port}`, memoryMib: () => residentMib(node.child.pid), close }
  } catch (error) {
    await close()
    throw error
  }
}

function residentMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
}
