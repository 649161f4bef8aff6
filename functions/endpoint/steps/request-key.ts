import { createHash } from 'node:crypto'
import { decryptText, derivedRandomness, encryptText } from '../../../adapters/crypto/derived-randomness.ts'
import { errorStatus } from '../../../contracts/routes/shapes.ts'
import { takesKey } from '../../../contracts/routes/route.ts'
import { DomainError } from '../../../core/errors.ts'
import { type RequestKey, claimKey, readKey } from '../../../core/requests/idempotency-key.ts'
import { type HttpResponse, errorResponse, repeatedResponse } from '../response.ts'
import type { Exchange } from '../exchange.ts'
import { type Endpoint, type Step, requirePort } from '../endpoint-parts.ts'

/** Larger answers are not kept; the key of such a request then protects the created record, not the answer. */
const maxKeptBytes = 200 * 1024
const seedBytes = 32

/**
 * Repeats the kept answer for a request whose `Idempotency-Key` was used for the same request before, and keeps the
 * answer of any other under its key. A run that died left no answer: the request is then run again with the identifiers
 * of the first run, so that it finds its own record and treats it as created.
 */
export function requestKey(endpoint: Endpoint): Step {
  return {
    before: async ({ event: exchange }) => {
      const header = takesKey(endpoint.route) ? exchange.event.headers['idempotency-key'] : undefined
      return header === undefined ? undefined : claimOrRepeat(exchange, endpoint, readKey(header))
    },
    after: ({ event: { keep }, response }) => keep?.(response ?? undefined),
    onError: async ({ event: { keep, requestId }, error }) => {
      if (keep === undefined) return undefined
      const answer = error instanceof DomainError ? errorResponse(error, requestId) : undefined
      await keep(answer)
      return answer === undefined || answer.statusCode >= 500 ? undefined : answer
    },
  }
}

async function claimOrRepeat(exchange: Exchange, endpoint: Endpoint, key: string): Promise<HttpResponse | undefined> {
  const { tools, ports } = endpoint
  const keys = requirePort(ports.idempotency)
  const request = { domain: exchange.caller?.domain ?? '', key }
  const keeper = keeperOf(endpoint, request)
  const claim = await claimKey(keys, {
    ...request,
    fingerprint: fingerprintOf(exchange),
    seed: await keeper.keepSeed(tools.random.bytes(seedBytes)),
    claimId: tools.random.uuid(),
    now: tools.clock.now(),
  })
  const seed = await keeper.readSeed(claim.seed)
  if (claim.answer !== undefined) return repeatedResponse(keeper.readAnswer(claim.answer, seed), exchange.requestId)
  exchange.random = derivedRandomness(seed)
  // A failure to keep the answer does no harm: the lease of the key expires, and the request can be run again.
  exchange.keep = async (answer) => {
    try {
      const kept = answer && isFinal(answer) ? keeper.keepAnswer(answer, seed) : undefined
      if (kept === undefined) await keys.release(claim)
      else await keys.complete(claim, kept)
    } catch (error) {
      exchange.log.error('answer of an idempotent request not kept', error)
    }
  }
  return undefined
}

/**
 * Returns whether an answer is final: failures of the service are not, nor are refusals because of rates or of requests
 * that came too early.
 */
function isFinal({ statusCode, body = '' }: HttpResponse): boolean {
  return statusCode < 500 && statusCode !== errorStatus.rate_limited && Buffer.byteLength(body) <= maxKeptBytes
}

function fingerprintOf({ event, caller }: Exchange): string {
  const { method } = event.requestContext.http
  const parts = [caller?.username, method, event.rawPath, event.rawQueryString, event.body ?? '', event.isBase64Encoded]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

interface Keeper {
  keepSeed(seed: Uint8Array): Promise<string>
  readSeed(kept: string): Promise<Uint8Array>
  keepAnswer(answer: HttpResponse, seed: Uint8Array): string
  readAnswer(kept: string, seed: Uint8Array): HttpResponse
}

const plainKeeper: Keeper = {
  keepSeed: async (seed) => Buffer.from(seed).toString('base64'),
  readSeed: async (kept) => new Uint8Array(Buffer.from(kept, 'base64')),
  keepAnswer: (answer) => JSON.stringify(answer),
  readAnswer: (kept) => JSON.parse(kept) as HttpResponse,
}

function keeperOf({ route, ports }: Endpoint, { domain, key }: Pick<RequestKey, 'domain' | 'key'>): Keeper {
  if (route.showsSecret !== true) return plainKeeper
  const box = requirePort(ports.secretBox)
  const purpose = `request-seed:${domain}:${key}`
  // Secrets of the request are derived from the seed, so it is encrypted, together with the key of the answer.
  return {
    keepSeed: (seed) => box.seal(seed, purpose),
    readSeed: (kept) => box.open(kept, purpose),
    keepAnswer: (answer, seed) => encryptText(JSON.stringify(answer), seed),
    readAnswer: (kept, seed) => JSON.parse(decryptText(kept, seed)) as HttpResponse,
  }
}
