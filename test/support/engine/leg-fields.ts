/** The engine's fields of a leg that a phone placed, after it has authenticated the phone's user. */
export function ofCaller(account: string): Record<string, string> {
  const [login = '', domain = ''] = account.split('@')
  return {
    'Call-Direction': 'inbound',
    'Caller-Source': 'mod_sofia',
    'Channel-Presence-ID': account,
    variable_presence_id: account,
    variable_user_name: login,
    variable_domain_name: domain,
  }
}

/** The engine's fields of a leg that rings an account. */
export function ofCalled(account: string): Record<string, string> {
  const [login = '', domain = ''] = account.split('@')
  return {
    'Call-Direction': 'outbound',
    'Channel-Presence-ID': account,
    variable_presence_id: account,
    variable_dialed_user: login,
    variable_dialed_domain: domain,
  }
}
