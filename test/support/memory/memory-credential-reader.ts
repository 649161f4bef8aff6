import type { CredentialReader } from '../../../core/auth/credentials.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { accountKey } from './memory-account-store.ts'
import { rolesOf } from './memory-role-store.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'
import { tokenKey } from './memory-token-store.ts'

/** All that credentials are judged by, from memory. */
export function memoryCredentialReader({ state, clock }: MemoryContext): CredentialReader {
  return {
    async read({ domain, login, key }) {
      const isRoot = domain === ''
      const token = state.tokens.get(tokenKey(domain, login, key))
      return {
        token: token && keptUntil.token(token) > clock.now() ? token : undefined,
        account: isRoot ? undefined : state.accounts.get(accountKey(domain, login)),
        domain: isRoot ? undefined : state.domains.get(domain),
        roles: rolesOf(state, domain).roles,
      }
    },
    async readDomainToken({ domain, uuid }) {
      return {
        token: state.domainTokens.get(memoryKey(domain, uuid)),
        domain: state.domains.get(domain),
        roles: rolesOf(state, domain).roles,
      }
    },
  }
}
