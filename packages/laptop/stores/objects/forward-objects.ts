import { pipeline } from 'node:stream/promises'
import { request as send } from 'undici'
import { laptop } from '../../assembly/place.ts'
import type { ObjectBackend } from '../../gate/gate.ts'
import { requestTarget } from '../../processes/request-target.ts'
import { type Signer, signHeaders } from '../../signature/sign.ts'

/** Request headers that an object request is made of; all others belong to the connection or the old signature. */
const keptHeaders = new Set([
  'content-type',
  'content-length',
  'range',
  'if-match',
  'if-none-match',
  'x-amz-checksum-algorithm',
  'x-amz-checksum-sha256',
  'x-amz-storage-class',
])

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

/** The parameters of a signed link's signature; those of the answer's headers are kept. */
const signatureParameter = /^x-amz-(algorithm|credential|date|expires|signedheaders|signature|security-token)$/i

/** Hands object requests on to a store at another address, each signed anew, bodies streamed both ways. */
export function forwardObjects(endpoint: string, signer: Signer): ObjectBackend {
  return async ({ request }, response) => {
    const { rawPath, rawQuery } = requestTarget(request.url)
    // Joined as text: a path that begins with two slashes would name another host.
    const url = new URL(`${new URL(endpoint).origin}${rawPath}?${rawQuery}`)
    const query = new URLSearchParams([...url.searchParams].filter(([name]) => !signatureParameter.test(name)))
    // A plus is a space to the one store, and a plus to the other: the signature would not be the same.
    url.search = query.toString().replaceAll('+', '%20')
    const kept = Object.entries(request.headers).filter(
      ([name]) => keptHeaders.has(name) || name.startsWith('x-amz-meta-'),
    )
    const method = methods.find((name) => name === request.method) ?? 'GET'
    const headers = await signHeaders(
      { method, url, service: 's3', region: laptop.region },
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      signer,
    )
    const answer = await send(url, {
      method,
      headers: { ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])), ...headers },
      body: method === 'PUT' || method === 'POST' ? request : null,
    })
    const { connection: _connection, 'transfer-encoding': _encoding, ...rest } = answer.headers
    response.writeHead(answer.statusCode, rest)
    await pipeline(answer.body, response)
  }
}
