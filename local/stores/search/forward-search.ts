import { createHash } from 'node:crypto'
import { Pool } from 'undici'
import { PlainError, type Signer, laptop, signHeaders } from '@callplane/laptop'
import type { SearchStore } from './search-store.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const

/** Longer than any search may take: the caller's own limit ends it before. */
const timeoutMs = 60_000

/**
 * Connects to the OpenSearch at `OPENSEARCH_URL`. Requests are signed again, or carry the user of the address if it has
 * one.
 */
export async function connectSearch(endpoint: string, signer: Signer): Promise<SearchStore> {
  const url = new URL(endpoint)
  const pool = new Pool(url.origin, { connections: 64, keepAliveTimeout: 60_000, headersTimeout: timeoutMs })
  const store: SearchStore = {
    async answer({ method: asked, path, query, body }) {
      const method = methods.find((known) => known === asked) ?? 'GET'
      const target = new URL(`${url.origin}${url.pathname.replace(/\/$/, '')}${path}${query === '' ? '' : `?${query}`}`)
      const type = path.endsWith('/_bulk') ? 'application/x-ndjson' : 'application/json'
      const { statusCode, body: answer } = await pool.request({
        method,
        path: `${target.pathname}${target.search}`,
        headers: await authorized(target, method, { 'content-type': type }, body),
        body: body === '' ? null : body,
      })
      return { status: statusCode, body: await answer.text() }
    },
    close: () => pool.destroy(),
  }
  async function authorized(target: URL, method: string, headers: Record<string, string>, body: string) {
    if (url.username !== '') {
      const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      return { ...headers, authorization: `Basic ${Buffer.from(user).toString('base64')}` }
    }
    const payloadHash = createHash('sha256').update(body).digest('hex')
    const request = { method, url: target, service: 'es', region: laptop.region }
    return signHeaders(request, { ...headers, 'x-amz-content-sha256': payloadHash }, signer)
  }
  try {
    const { status } = await store.answer({ method: 'GET', path: '/_cluster/health', query: '', body: '' })
    if (status === 200) return store
    throw new Error(`it answered ${status}`)
  } catch (error) {
    await store.close()
    throw new PlainError(`OPENSEARCH_URL ${url.origin} does not answer as OpenSearch does`, { cause: error })
  }
}
