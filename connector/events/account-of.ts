import { login as loginField } from '../../contracts/fields.ts'
import type { KnownCall } from '../../core/channels/known-call.ts'

/** Returns the account of a leg, when it belongs to the leg's own domain and can be a login. */
export function accountOf(
  leg: Pick<KnownCall, 'presenceId'> | undefined,
  domain: string,
): { domain: string; login: string } | undefined {
  const [login = '', host, more] = leg?.presenceId.split('@') ?? []
  const isAccount = host === domain && more === undefined && loginField.safeParse(login).success
  return isAccount ? { domain, login } : undefined
}
