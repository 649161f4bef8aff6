import { afterAll, beforeAll } from 'vitest'

/** Opens something once for the tests around the call and closes it after them. The answer gives it to a test. */
export function opened<T extends { close(): Promise<void> }>(open: () => Promise<T>): () => T {
  let value: T | undefined
  beforeAll(async () => {
    value = await open()
  })
  afterAll(() => value?.close())
  return () => {
    if (value === undefined) throw new Error('it is open only while tests run')
    return value
  }
}
