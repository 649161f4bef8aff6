import type { Token } from './token.ts'

/** The records of logins. */
export interface TokenStore {
  /** Keeps a token. When the user then has more than `limit` live ones, the oldest go. */
  create(token: Token, limit: number): Promise<void>
  /** Ends a token; `false` when it was not there. */
  remove(domain: string, login: string, key: string): Promise<boolean>
}
