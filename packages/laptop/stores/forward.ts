import { Pool } from 'undici'
import { laptop } from '../assembly/place.ts'
import type { Backend } from '../gate/backend.ts'
import { type Signer, signHeaders } from '../signature/sign.ts'

/** A store at some address, and how to let go of it. */
export interface Forwarder {
  readonly backend: Backend
  close(): Promise<void>
}

/** Headers of an answer that hold for one connection only, or that the gate sets itself. */
const droppedHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'])

/** A placeholder credential for a store that requires a signature without verifying it. */
const unverified = {
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
}

/**
 * Longer than the longest poll, which waits 20 s: a store that says nothing for this long, before its answer or within
 * it, is given up. So a silent call ends, also that of a poller of this process, which has no time limit of its own.
 */
const usualSilenceMs = 30_000

/**
 * Forwards calls to a store that speaks HTTP, over a few persistent connections. Each call is signed again if there is
 * a signer, as a store may keep a namespace for each access key.
 */
export function forwardTo(
  endpoint: string,
  service: string,
  signer?: Signer,
  silenceMs: number = usualSilenceMs,
): Forwarder {
  const url = new URL(endpoint)
  const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs }
  const pool = new Pool(url.origin, { connections: 64, keepAliveTimeout: 60_000, ...limits })
  return {
    async backend({ target, contentType, body }) {
      const request = { method: 'POST', url, service, region: laptop.region, body }
      const given = { 'content-type': contentType, 'x-amz-target': target }
      const {
        statusCode,
        headers,
        body: answer,
      } = await pool.request({
        method: 'POST',
        path: url.pathname,
        headers: signer === undefined ? { ...given, ...unverified } : await signHeaders(request, given, signer),
        body,
      })
      const kept = Object.entries(headers).filter(([name]) => !droppedHeaders.has(name))
      return {
        status: statusCode,
        headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
        body: Buffer.from(await answer.arrayBuffer()),
      }
    },
    close: () => pool.destroy(),
  }
}
