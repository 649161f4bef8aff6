import { type Answer, CallplaneError } from '../../client/index.ts'
import { DocumentError } from '../document/model.ts'
import type { Target } from './read-domain.ts'

/** The most bytes of a request that keeps a version; the document is escaped in it. */
const maxRequestBytes = 1024 * 1024

const tries = 5

async function newestVersion({ client, domain, signal }: Target): Promise<number> {
  const { info } = await client.call('listDomainVersions', {
    params: { domain_name: domain },
    query: { limit: 1 },
    signal,
  })
  return info[0]?.version ?? 0
}

/**
 * Returns a version with its document: whatever a user of the domain stored, so nothing in it is believed. Throws a
 * {@link DocumentError} if it is not kept.
 */
export async function readVersion(
  { client, domain, signal }: Target,
  version: number,
): Promise<Answer<'readDomainVersion'>['info']> {
  const params = { domain_name: domain, version: String(version) }
  const found = await client.call('readDomainVersion', { params, signal }).catch((error: unknown) => {
    if (!(error instanceof CallplaneError) || error.status !== 404) throw error
    throw new DocumentError(`${domain} has no version ${version}: list them with "callplane rollback"`)
  })
  return found.info
}

/** Keeps a document as the next version, unless the newest one is the same. Returns its number. */
export async function keepVersion(target: Target, document: string, comment: string): Promise<number> {
  const { client, domain, signal } = target
  const body = { document, comment }
  if (Buffer.byteLength(JSON.stringify(body)) > maxRequestBytes) {
    throw new DocumentError(
      'the document of the domain is larger than the 1 MiB that is kept as a version: use --no-version',
    )
  }
  for (let left = tries; ; left -= 1) {
    const newest = await newestVersion(target)
    if (newest > 0 && (await readVersion(target, newest)).document === document) return newest
    const params = { domain_name: domain, version: String(newest + 1) }
    try {
      const { info } = await client.call('keepDomainVersion', { params, body, signal })
      return info.version
    } catch (error) {
      if (!(error instanceof CallplaneError) || error.code !== 'conflict' || left === 0) throw error
    }
  }
}
