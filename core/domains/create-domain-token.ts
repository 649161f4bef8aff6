import { readRoles } from '../access/read-roles.ts'
import { DomainError } from '../errors.ts'
import type { Caller } from '../access/token.ts'
import type { DomainTokenStore } from './domain-token-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import type { Randomness } from '../time.ts'
import {
  type DomainTokenContext,
  type ShownDomainToken,
  checkExpire,
  checkTokenRole,
  maxDomainTokens,
  shownDomainToken,
} from './domain-token.ts'

/** The ports of {@link createDomainToken}. */
export interface CreateDomainTokenPorts {
  readonly domainTokens: Pick<DomainTokenStore, 'create'>
  readonly roles: Pick<RoleStore, 'read'>
}

/** The properties of a new token. */
export interface DomainTokenInput {
  /** Epoch milliseconds. */
  readonly expire: number
  readonly role: string
  readonly description?: string | undefined
}

/** The inputs of a token's creation in addition to its ports. */
export interface IssueContext extends DomainTokenContext {
  readonly caller: Pick<Caller, 'acl' | 'username'>
  /** Epoch milliseconds. */
  readonly now: number
  readonly random: Randomness
  /** Writes the token's text from its claims and 32 random bytes. */
  readonly writeToken: (
    claims: {
      readonly username: string
      readonly domain: string
      readonly key: string
      readonly isDomainToken: true
    },
    secret: Uint8Array,
  ) => string
  readonly tokenDigest: (text: string) => string
}

/**
 * Issues a token of a domain itself. `token` is its text, shown here and never again. Throws `invalid_field` for an end
 * or role that cannot be, `permission_denied` for a role above its issuer's, and `conflict` when the domain has
 * {@link maxDomainTokens}.
 */
export async function createDomainToken(
  ports: CreateDomainTokenPorts,
  { expire, role, description = '' }: DomainTokenInput,
  context: IssueContext,
): Promise<{ data: ShownDomainToken; token: string }> {
  const { domain, caller, now, random } = context
  checkExpire(expire, now)
  checkTokenRole(role, await readRoles(ports.roles, domain, [role]), context)
  const uuid = random.uuid()
  const claims = { username: `${uuid}@${domain}`, domain, key: uuid, isDomainToken: true } as const
  const text = context.writeToken(claims, random.bytes(32))
  const token = {
    uuid,
    domain,
    digest: context.tokenDigest(text),
    role,
    description,
    createdBy: caller.username,
    createdAt: now,
    expiresAt: expire,
    enabled: true,
  }
  if (!(await ports.domainTokens.create(token, maxDomainTokens))) {
    throw new DomainError('conflict', `a domain has at most ${maxDomainTokens} tokens: delete one that is not used`)
  }
  return { data: shownDomainToken(token), token: text }
}
