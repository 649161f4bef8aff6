import type { Account } from '../../core/model.ts'
import type { AccountStore } from '../../core/ports.ts'
import { type MemoryContext, type MemoryState, byText, memoryKey } from './memory-state.ts'

/** Accounts in memory. */
export function memoryAccountStore({ state }: MemoryContext): AccountStore {
  return {
    async create(account, limit) {
      const domain = state.domains.get(account.domain)
      if (domain === undefined) return 'domain_missing'
      if (state.accounts.has(accountKey(account.domain, account.login))) return 'login_taken'
      if (account.numbers.some((number) => holder(state, account.domain, number))) return 'number_taken'
      if (domain.accountCount >= limit) return 'domain_full'
      state.accounts.set(accountKey(account.domain, account.login), account)
      state.domains.set(domain.name, { ...domain, accountCount: domain.accountCount + 1 })
      return 'created'
    },
    async read(domain, login) {
      return state.accounts.get(accountKey(domain, login))
    },
    async readByNumber(domain, number) {
      return holder(state, domain, number)
    },
    async list(domain) {
      return [...state.accounts.values()]
        .filter((account) => account.domain === domain)
        .sort(byText((account) => account.login.toLowerCase()))
    },
    async update(account) {
      const stored = state.accounts.get(accountKey(account.domain, account.login))
      if (stored === undefined || stored.version !== account.version - 1) return 'version_changed'
      const isOthers = (number: string) => {
        const owner = holder(state, account.domain, number)
        return owner !== undefined && owner.login !== stored.login
      }
      if (account.numbers.some(isOthers)) return 'number_taken'
      state.accounts.set(accountKey(account.domain, account.login), account)
      return 'updated'
    },
    async remove(account) {
      if (!state.accounts.delete(accountKey(account.domain, account.login))) return false
      const domain = state.domains.get(account.domain)
      if (domain) state.domains.set(domain.name, { ...domain, accountCount: domain.accountCount - 1 })
      return true
    },
  }
}

/** The key of an account; the login counts without regard to case. */
export function accountKey(domain: string, login: string): string {
  return memoryKey(domain, login.toLowerCase())
}

function holder(state: MemoryState, domain: string, number: string): Account | undefined {
  return [...state.accounts.values()].find((account) => account.domain === domain && account.numbers.includes(number))
}
