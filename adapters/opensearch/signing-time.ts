import type { Client } from '@opensearch-project/opensearch'

/** A signature is good for 5 minutes. A refusal while the clocks differ by less than this has another reason. */
const worthCorrectingMs = 60_000

/** Milliseconds from the time of this process to that of the store, for clients whose signatures were refused. */
const offsets = new WeakMap<Client, number>()

/** Returns the milliseconds by which signatures of a client are corrected now. */
export function signingOffset(client: Client): number {
  return offsets.get(client) ?? 0
}

/** Returns the header that dates a signature by the time of the store; none while no refusal has shown a difference. */
export function signingTime(client: Client): { 'x-amz-date'?: string } {
  const offset = offsets.get(client)
  if (offset === undefined) return {}
  return { 'x-amz-date': new Date(Date.now() + offset).toISOString().replaceAll(/[:-]|\.\d{3}/g, '') }
}

/**
 * Learns the time of the store from the date of a refused request's answer. Returns whether the signature, corrected by
 * `signedOffset` milliseconds, was so wrong that the request is worth repeating: another refusal may have shown it
 * already. The SDK's clients do this by themselves; the signer of the search client does not.
 */
export function learnSigningTime(client: Client, date: string | undefined, signedOffset: number): boolean {
  const serviceMs = Date.parse(date ?? '')
  if (Number.isNaN(serviceMs)) return false
  const offset = serviceMs - Date.now()
  const wasWrong = Math.abs(offset - signedOffset) >= worthCorrectingMs
  if (wasWrong) offsets.set(client, offset)
  return wasWrong
}
