/**
 * One node of the real OpenSearch: its server and modules come from Maven Central. A judge besides the embedded server.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type FetchedArtifacts, fetchArtifacts } from '../../../packages/laptop/stores/dynamo-program/java-artifacts.ts'
import { startCommand } from '../platform/command.ts'
import { openSearchArtifacts } from './opensearch-artifacts.ts'

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
  /** The folder in which it may keep snapshots. */
  readonly snapshotFolder: string
  /** Resident memory of its process, MiB. */
  readonly memoryMib: () => number
  readonly close: () => Promise<void>
}

/** Returns the environment of an adapter that reaches a node. */
export function environmentOf({ endpoint }: Pick<OpenSearchNode, 'endpoint'>): Readonly<Record<string, string>> {
  return {
    OPENSEARCH_URL: endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  }
}

/** Gets the server, once: exactly the pinned files. Never rejects for a lack. */
export async function fetchOpenSearch(): Promise<FetchedArtifacts> {
  const cache = resolve('node_modules/.cache/opensearch')
  const fetched = await fetchArtifacts({ cache, leastJava, checksums: openSearchArtifacts })
  if ('folder' in fetched && !canCompileJava()) return { missing: 'the installed Java has no compiler' }
  return fetched
}

/** Returns whether the installed Java can run a source file. */
function canCompileJava(): boolean {
  const { stdout } = spawnSync('java', ['--list-modules'], { encoding: 'utf8' })
  return /^jdk\.compiler@/m.test(stdout ?? '')
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
    return {
      endpoint: `http://127.0.0.1:${port}`,
      snapshotFolder: join(home, 'snapshots'),
      memoryMib: () => residentMib(node.child.pid),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function residentMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
}
