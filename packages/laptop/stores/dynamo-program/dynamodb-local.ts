/** DynamoDB Local, AWS's own imitation: where the embedded one cannot be had, and a second judge in tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type FetchedArtifacts, fetchArtifacts } from './java-artifacts.ts'

/** DynamoDB Local 2 is compiled for this Java. */
const leastJava = 17

const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner'

/** Gets the program into the cache of the packages of a project, once: 53 MB. Never rejects for a lack. */
export function fetchDynamoDbLocal(
  root: string,
  options: { readonly onDownload?: () => void; readonly signal?: AbortSignal } = {},
): Promise<FetchedArtifacts> {
  const list: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'dynamodb-local.json'), 'utf8'))
  const checksums = z.parse(z.record(z.string(), z.string()), list)
  return fetchArtifacts({ cache: join(root, 'node_modules/.cache/dynamodb-local'), leastJava, checksums, ...options })
}

/**
 * Returns the words for `java` that run the program of a folder at a port; without a folder for data it keeps
 * everything in memory.
 */
export function dynamoDbLocalWords(folder: string, port: number, dataFolder?: string): readonly string[] {
  const kept = dataFolder === undefined ? ['-inMemory'] : ['-sharedDb', '-dbPath', dataFolder]
  // The collector and compiler that start soonest: a store of one laptop works little.
  const machine = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', join(folder, '*')]
  return [...machine, main, ...kept, '-disableTelemetry', '-port', String(port)]
}
