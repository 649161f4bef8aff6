/** DynamoDB Local, AWS's own imitation of DynamoDB: fetched by Maven, run in memory. A judge besides the embedded one. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type RunningCommand, startCommand } from './command.ts'
import { freePort } from './free-port.ts'

const artifact = { groupId: 'com.amazonaws', artifactId: 'DynamoDBLocal', version: '2.6.1' }
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'

/** DynamoDB Local 2 is compiled for this Java. */
const leastJava = 17

/** Some 50 MB come in half a minute; a network that answers nothing holds up no longer than this. */
const fetchLimitMs = 240_000

/** Where the artifact and everything it runs with is, or why it cannot be had here. */
export type FetchedDynamoDbLocal = { readonly folder: string } | { readonly missing: string }

/** A running server. */
export interface DynamoDbLocal {
  readonly endpoint: string
  close(): Promise<void>
}

/** Gets the artifact into `.build`, once; Maven refuses what does not match its checksum. Never throws for a lack. */
export function fetchDynamoDbLocal(): FetchedDynamoDbLocal {
  const java = javaVersion()
  if (java === undefined || java < leastJava) return { missing: `no Java ${leastJava} or later is installed` }
  const cache = resolve('.build', 'dynamodb-local')
  const folder = resolve(cache, artifact.version)
  if (existsSync(folder)) return { folder }
  mkdirSync(cache, { recursive: true })
  writeFileSync(resolve(cache, 'pom.xml'), pom())
  const fetched = resolve(cache, 'fetched')
  rmSync(fetched, { recursive: true, force: true })
  const options = ['-q', '-B', '-C', copyDependencies, '-DincludeScope=runtime', `-DoutputDirectory=${fetched}`]
  const { error, status } = spawnSync('mvn', options, { cwd: cache, timeout: fetchLimitMs, stdio: 'ignore' })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return { missing: 'no Maven is installed' }
  if (status !== 0) return { missing: `Maven cannot get ${artifact.artifactId} ${artifact.version}` }
  renameSync(fetched, folder)
  return { folder }
}

/** Starts an empty server on a free port of 127.0.0.1, in memory. Close it at the end of the test. */
export async function startDynamoDbLocal(folder: string): Promise<DynamoDbLocal> {
  const port = await freePort()
  const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner'
  const java = ['-Xmx512m', `-Djava.library.path=${folder}`, '-cp', `${folder}/*`, main]
  const options = ['-inMemory', '-disableTelemetry', '-port', String(port)]
  const server = startCommand('java', [...java, ...options], { cwd: folder })
  const endpoint = `http://127.0.0.1:${port}`
  await answers(server, endpoint)
  return {
    endpoint,
    async close() {
      server.child.kill('SIGTERM')
      await server.ended()
    },
  }
}

/** Asks until the server answers anything, 50 ms apart: it prints nothing when it begins to listen. */
async function answers(server: RunningCommand, endpoint: string): Promise<void> {
  let hasEnded = false
  void server.ended().finally(() => {
    hasEnded = true
  })
  for (;;) {
    const isUp = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (isUp) return
    if (hasEnded) throw new Error(`DynamoDB Local ended at its start:\n${server.output()}`)
    await delay(50)
  }
}

function javaVersion(): number | undefined {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const [, major] = /version "(\d+)/.exec(stderr ?? '') ?? []
  return major === undefined ? undefined : Number(major)
}

function pom(): string {
  const { groupId, artifactId, version } = artifact
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>callplane</groupId>
  <artifactId>dynamodb-local</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>${groupId}</groupId>
      <artifactId>${artifactId}</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`
}
