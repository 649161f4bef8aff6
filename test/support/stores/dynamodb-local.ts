/** DynamoDB Local, AWS's own imitation of DynamoDB: fetched by Maven, run in memory. A judge besides the embedded one. */
import { setTimeout as delay } from 'node:timers/promises'
import { type RunningCommand, startCommand } from '../platform/command.ts'
import { freePort } from '../processes/free-port.ts'
import { type FetchedArtifacts, fetchArtifacts } from './maven.ts'

const version = '2.6.1'

/** DynamoDB Local 2 is compiled for this Java. */
const leastJava = 17

/** A running server. */
export interface DynamoDbLocal {
  readonly endpoint: string
  close(): Promise<void>
}

/** Gets the artifact and everything it runs with, once. Never throws for a lack. */
export function fetchDynamoDbLocal(): FetchedArtifacts {
  const artifacts = [`com.amazonaws:DynamoDBLocal:${version}`]
  return fetchArtifacts({ name: 'dynamodb-local', version, leastJava, artifacts })
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
