import { createHash } from 'node:crypto'

/**
 * The number of partitions that share the load of one hot partition: DynamoDB accepts a thousand writes a second for
 * each. It must never change, as stored items depend on it.
 */
const SHARDS = 8

/** The names of all shards. */
export const shards: readonly string[] = Array.from({ length: SHARDS }, (_, index) => String(index))

/** Returns the shard of an id: always the same, and evenly spread. */
export function shardOf(id: string): string {
  return String(createHash('sha256').update(id).digest().readUInt32BE(0) % SHARDS)
}
