import type { AccountStore } from '../../../core/accounts/account-store.ts'
import type { Account } from '../../../core/accounts/account.ts'
import { type MemoryContext, type MemoryState, byText, memoryKey } from './memory-state.ts'

/** Accounts in memory. */
export function memoryAccountStore({ state }: MemoryContext): AccountStore {
  return {
    async create(account, limit) {
      const domain = state.domains.get(account.domain)
      if (domain === undefined) return 'domain_missing'
      const known = state.accounts.get(accountKey(account.domain, account.login))
      if (known !== undefined) return known.credentialsId === account.credentialsId ? 'created' : 'login_taken'
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
      const previous = { ...account, version: account.version - 1 }
      if (stored === undefined || !isSameVersion(stored, previous)) return 'version_changed'
      const isOthers = (number: string) => {
        const owner = holder(state, account.domain, number)
        return owner !== undefined && owner.login !== stored.login
      }
      if (account.numbers.some(isOthers)) return 'number_taken'
      state.accounts.set(accountKey(account.domain, account.login), account)
      return 'updated'
    },
    async remove(account, exactly = false) {
      const key = accountKey(account.domain, account.login)
      const stored = state.accounts.get(key)
      if (stored === undefined || (exactly && !isSameVersion(stored, account))) return false
      state.accounts.delete(key)
      const domain = state.domains.get(account.domain)
      if (domain) state.domains.set(domain.name, { ...domain, accountCount: domain.accountCount - 1 })
      return true
    },
    async useCode(account, step) {
      const stored = state.accounts.get(accountKey(account.domain, account.login))
      const factor = stored?.secondFactor
      const isSame = stored?.credentialsId === account.credentialsId && factor?.sealed === account.secondFactor?.sealed
      if (stored === undefined || factor === undefined || !isSame || factor.usedStep >= step) return false
      state.accounts.set(accountKey(account.domain, account.login), {
        ...stored,
        secondFactor: { ...factor, usedStep: step },
        version: stored.version + 1,
      })
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

/** The versions of an account that was removed and made anew begin again. */
function isSameVersion(stored: Account, known: Account): boolean {
  return stored.version === known.version && stored.createdAt === known.createdAt
}
