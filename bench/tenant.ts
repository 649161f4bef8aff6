import { Client } from '../client/index.ts'

/** Makes a tenant with an admin of its own, by root, and returns the admin's client. */
export async function openTenant(baseUrl: string, rootPassword: string, domain: string): Promise<Client> {
  const root = measuredClient(baseUrl, 'root', rootPassword)
  await root.call('createDomain', { body: { domain_name: domain, customer_id: 'bench' } })
  const password = 'Bench-password-1'
  await root.call('createAccount', { query: { domain }, body: { login: '1000', password, role: 'admin' } })
  const admin = measuredClient(baseUrl, `1000@${domain}`, password)
  await admin.call('whoAmI')
  return admin
}

/** A client that logs in before its first call, and repeats none, so that a measured call is one request. */
export function measuredClient(url: string, username: string, password: string): Client {
  return new Client({ url, login: { username, password }, retries: 0 })
}
