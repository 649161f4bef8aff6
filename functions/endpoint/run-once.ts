import { createHash } from 'node:crypto'
import { decryptText, encryptText } from '../../adapters/crypto/answer-cipher.ts'
import { derivedRandomness } from '../../adapters/crypto/derived-randomness.ts'
import { errorStatus } from '../../contracts/routes/error-codes.ts'
import { takesKey } from '../../contracts/routes/route.ts'
import { DomainError } from '../../core/errors.ts'
import { claimKey, readKey } from '../../core/idempotency/claim-key.ts'
import type { RequestKey } from '../../core/idempotency/request-key.ts'
import type { Randomness } from '../../core/ports.ts'
import { type Answer, errorAnswer, repeatedAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { type Endpoint, own } from './endpoint-parts.ts'

/** An answer above this is not kept; the key that came with its request then protects what was made, not the answer. */
const maxKeptBytes = 200 * 1024
const seedBytes = 32

/** Runs a request whose identifiers come from the given randomness. */
export type Run = (random: Randomness) => Promise<Answer>

/**
 * Runs a request, or, when its `Idempotency-Key` was used for the same request before, gives the answer of that time
 * again. A run that died left no answer: the request is then run again with the identifiers of the first, so that
 * whatever makes a record finds its own and takes it for made.
 */
export async function runOnce(exchange: Exchange, endpoint: Endpoint, run: Run): Promise<Answer> {
  const { route, tools, ports } = endpoint
  const header = takesKey(route) ? exchange.event.headers['idempotency-key'] : undefined
  if (header === undefined) return run(tools.random)
  const keys = own(ports.idempotency)
  const request = { domain: exchange.caller?.domain ?? '', key: readKey(header) }
  const keeper = keeperOf(endpoint, request)
  const claim = await claimKey(keys, {
    ...request,
    fingerprint: fingerprintOf(exchange),
    seed: await keeper.keepSeed(tools.random.bytes(seedBytes)),
    claimId: tools.random.uuid(),
    now: tools.clock.now(),
  })
  const seed = await keeper.readSeed(claim.seed)
  if (claim.answer !== undefined) return repeatedAnswer(keeper.readAnswer(claim.answer, seed), exchange.requestId)
  const settle = async (answer: Answer | undefined) => {
    const kept = answer && isFinal(answer) ? keeper.keepAnswer(answer, seed) : undefined
    if (kept === undefined) await keys.release(claim)
    else await keys.complete(claim, kept)
  }
  return settling(exchange, () => run(derivedRandomness(seed)), settle)
}

/**
 * Waits until an answer is kept, or its key released. A failure to do so changes no answer: the lease of the key runs
 * out, and the request can then be run again.
 */
async function settling(
  exchange: Exchange,
  run: () => Promise<Answer>,
  settle: (answer: Answer | undefined) => Promise<void>,
): Promise<Answer> {
  const attempt = async (answer: Answer | undefined) => {
    try {
      await settle(answer)
    } catch (error) {
      exchange.log.error('answer of an idempotent request not kept', error)
    }
  }
  try {
    const answer = await run()
    await attempt(answer)
    return answer
  } catch (error) {
    const answer = error instanceof DomainError ? errorAnswer(error, exchange.requestId) : undefined
    await attempt(answer)
    if (answer === undefined || answer.statusCode >= 500) throw error
    return answer
  }
}

/** Whether an answer stays the answer: failures of the service do not, nor do refusals for being too many or too early. */
function isFinal({ statusCode, body = '' }: Answer): boolean {
  return statusCode < 500 && statusCode !== errorStatus.rate_limited && Buffer.byteLength(body) <= maxKeptBytes
}

/** The same only for the same caller, method, path, query and body. */
function fingerprintOf({ event, caller }: Exchange): string {
  const { method } = event.requestContext.http
  const parts = [caller?.username, method, event.rawPath, event.rawQueryString, event.body ?? '', event.isBase64Encoded]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** How seed and answer are kept: as they are, or encrypted where the answer shows a secret. */
interface Keeper {
  keepSeed(seed: Uint8Array): Promise<string>
  readSeed(kept: string): Promise<Uint8Array>
  keepAnswer(answer: Answer, seed: Uint8Array): string
  readAnswer(kept: string, seed: Uint8Array): Answer
}

const plainKeeper: Keeper = {
  keepSeed: async (seed) => Buffer.from(seed).toString('base64'),
  readSeed: async (kept) => new Uint8Array(Buffer.from(kept, 'base64')),
  keepAnswer: (answer) => JSON.stringify(answer),
  readAnswer: (kept) => JSON.parse(kept) as Answer,
}

function keeperOf({ route, ports }: Endpoint, { domain, key }: Pick<RequestKey, 'domain' | 'key'>): Keeper {
  if (route.showsSecret !== true) return plainKeeper
  const box = own(ports.secretBox)
  const purpose = `request-seed:${domain}:${key}`
  // Secrets that the request makes are derived from the seed, so it is sealed, and with it the key of the answer.
  return {
    keepSeed: (seed) => box.seal(seed, purpose),
    readSeed: (kept) => box.open(kept, purpose),
    keepAnswer: (answer, seed) => encryptText(JSON.stringify(answer), seed),
    readAnswer: (kept, seed) => JSON.parse(decryptText(kept, seed)) as Answer,
  }
}
