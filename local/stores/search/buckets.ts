import type { Accumulator, Maker, Row } from './accumulator.ts'
import type { JsonObject } from './json.ts'
import { badRequest } from './refusal.ts'

/** Rows that fell into one bucket. */
export class Bucket {
  count = 0
  readonly #within: Accumulator

  constructor(within: Maker) {
    this.#within = within()
  }

  add(row: Row): void {
    this.count += 1
    this.#within.add(row)
  }

  result(head: JsonObject = {}): JsonObject {
    return { ...head, doc_count: this.count, ...this.#within.result() }
  }
}

/** Buckets by key, made when the first row falls into them. */
export class Buckets<K> {
  readonly byKey = new Map<K, Bucket>()
  readonly #within: Maker

  constructor(within: Maker) {
    this.#within = within
  }

  add(key: K, row: Row): void {
    let bucket = this.byKey.get(key)
    if (bucket === undefined) {
      bucket = new Bucket(this.#within)
      this.byKey.set(key, bucket)
    }
    bucket.add(row)
  }

  empty(): Bucket {
    return new Bucket(this.#within)
  }
}

/** Buckets by rising keys; where `least` is 0, those between the first and the last too. */
export function inOrder(buckets: Buckets<number>, least: number, next: (key: number) => number): [number, Bucket][] {
  const known = [...buckets.byKey].sort(([a], [b]) => a - b)
  const [first, last] = [known[0]?.[0], known.at(-1)?.[0]]
  if (least > 0 || first === undefined || last === undefined) return known.filter(([, { count }]) => count >= least)
  const all: [number, Bucket][] = []
  for (let key = first; key <= last; key = next(key)) {
    if (all.length > maxFilled) throw badRequest('too many buckets', 'too_many_buckets_exception')
    all.push([key, buckets.byKey.get(key) ?? buckets.empty()])
  }
  return all
}

const maxFilled = 65_535
