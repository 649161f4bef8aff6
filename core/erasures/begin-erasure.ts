import type { AccountStore } from '../accounts/account-store.ts'
import { permissionDenied } from '../access/permission.ts'
import type { Caller } from '../access/token.ts'
import { erasureParameter } from '../client-names/domain-parameters.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { DomainError, invalidField } from '../errors.ts'
import { type RateLimitStore, rateLimited } from '../requests/rate-limit.ts'
import type { Clock, Randomness } from '../time.ts'
import { type ErasureCounts, type ErasureQueue, type ErasureStore, erasureSteps } from './erasure.ts'
import { type CallParty, hasName, partyOfAccount, partyOfNumber } from './party.ts'

/** The ports of {@link beginErasure}. */
export interface BeginErasurePorts {
  readonly domains: Pick<DomainStore, 'read'>
  readonly accounts: Pick<AccountStore, 'read'>
  readonly erasures: Pick<ErasureStore, 'create' | 'replace'>
  readonly erasureQueue: Pick<ErasureQueue, 'send'>
  readonly rateLimits: Pick<RateLimitStore, 'takeInWindow'>
}

/** Who is to be erased: exactly one of the two. */
export interface ErasureRequest {
  readonly number?: string | undefined
  /** `<login>` or `<login>@<domain>`; the account may be gone. */
  readonly account?: string | undefined
}

/** The caller of an erasure, and its domain. */
export interface ErasureCaller {
  readonly caller: Pick<Caller, 'domain'>
  readonly domain: string
  readonly since: number
}

const erasuresAnHour = { limit: 30, windowMs: 3_600_000 } as const
const [firstStep] = erasureSteps

/**
 * Queues the removal of everything that names a party in a domain; returns the id of the job and the party's one
 * spelling. Throws `permission_denied` where the domain keeps the right for root, `missing_field` or `invalid_field`
 * unless one party of the domain is named, and `rate_limited` after 30 erasures within an hour.
 */
export async function beginErasure(
  ports: BeginErasurePorts,
  { caller, domain, since }: ErasureCaller,
  asked: ErasureRequest,
  { clock, random }: { readonly clock: Clock; readonly random: Randomness },
): Promise<{ readonly jobId: string; readonly named: string }> {
  const parameters = (await ports.domains.read(domain))?.parameters ?? {}
  if (parameters[erasureParameter] === 'root' && caller.domain !== null) {
    throw permissionDenied(`only root may erase in this domain: its parameter "${erasureParameter}" says so`)
  }
  const party = await partyOf(ports, domain, asked, parameters)
  const createdAt = clock.now()
  const verdict = await ports.rateLimits.takeInWindow(`erasure:${domain}`, erasuresAnHour, createdAt)
  if (!verdict.isAllowed) throw rateLimited(verdict, `${erasuresAnHour.limit} erasures were asked for within an hour`)
  const id = random.uuid()
  const begun = { domain, id, createdAt, since, step: firstStep, counts: noCounts }
  await ports.erasures.create({ ...begun, party, state: 'queued', version: 1 })
  try {
    await ports.erasureQueue.send({ domain, id })
  } catch (error) {
    // No message will run this job, so it ends here, and the party is not kept.
    await ports.erasures.replace({ ...begun, state: 'done', version: 2 })
    throw error
  }
  return { jobId: id, named: party.presenceId?.toLowerCase() ?? party.names[0] ?? '' }
}

const noCounts: ErasureCounts = {
  cdrs: 0,
  recordings: 0,
  held: 0,
  events: 0,
  deliveries: 0,
  exports: 0,
  voicemails: 0,
}

async function partyOf(
  { accounts }: BeginErasurePorts,
  domain: string,
  { number, account }: ErasureRequest,
  parameters: Readonly<Record<string, string>>,
): Promise<CallParty> {
  if (number !== undefined && account !== undefined) throw invalidField('account', 'must not stand beside number')
  if (number !== undefined) {
    if (!hasName(number)) throw invalidField('number', 'must have more than punctuation')
    return partyOfNumber(number, parameters)
  }
  if (account === undefined) throw new DomainError('missing_field', 'number or account is required')
  const [login = '', of = domain] = account.split('@')
  if (of.toLowerCase() !== domain) throw invalidField('account', 'must be an account of the domain')
  if (!hasName(login)) throw invalidField('account', 'must have more than punctuation')
  return partyOfAccount({ domain, login }, await accounts.read(domain, login), parameters)
}
