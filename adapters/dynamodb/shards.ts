import { createHash } from 'node:crypto'

/**
 * How many partitions share what would else be one hot partition: DynamoDB takes a thousand writes a second for each.
 * Fixed for good, as stored items stand in them.
 */
const SHARDS = 8

/** The names of all shards. */
export const shards: readonly string[] = Array.from({ length: SHARDS }, (_, index) => String(index))

/** The shard of an id: always the same, and evenly spread. */
export function shardOf(id: string): string {
  return String(createHash('sha256').update(id).digest().readUInt32BE(0) % SHARDS)
}
