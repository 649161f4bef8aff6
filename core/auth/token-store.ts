import type { Token } from '../access/token.ts'

/** The records of logins. */
export interface TokenStore {
  /** Stores a token. If the user then has more than `limit` valid ones, the oldest are removed. */
  create(token: Token, limit: number): Promise<void>
  /** Removes a token; returns `false` if it did not exist. */
  remove(domain: string, login: string, key: string): Promise<boolean>
}
