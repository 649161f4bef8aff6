import { DomainError } from '../errors.ts'
import type { ErasureCounts, ErasureJob, ErasureStore } from './erasure.ts'

/** An erasure as it is shown. */
export interface ShownErasure {
  readonly jobId: string
  readonly state: ErasureJob['state']
  /** Epoch milliseconds. */
  readonly createdOn: number
  readonly counts: ErasureCounts
}

/** Returns how far an erasure is. Throws `not_found` if it does not exist in the domain, or was an earlier tenant's. */
export async function readErasure(
  erasures: Pick<ErasureStore, 'read'>,
  { domain, since }: { readonly domain: string; readonly since: number },
  id: string,
): Promise<ShownErasure> {
  const job = await erasures.read({ domain, id })
  if (job === undefined || job.createdAt < since) throw new DomainError('not_found', `there is no erasure ${id}`)
  return { jobId: id, state: job.state, createdOn: job.createdAt, counts: job.counts }
}
