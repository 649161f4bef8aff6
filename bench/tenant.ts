import { createAccount } from '../contracts/routes/accounts.ts'
import { logIn } from '../contracts/routes/auth.ts'
import { createDomain } from '../contracts/routes/domains.ts'
import { type Client, clientOf } from '../local/demo/client.ts'

/** Makes a tenant with an admin of its own, by root, and returns the admin's client. */
export async function openTenant(baseUrl: string, rootPassword: string, domain: string): Promise<Client> {
  const login = await clientOf(baseUrl).call(logIn, { body: { username: 'root', password: rootPassword } })
  const root = clientOf(baseUrl, login)
  await root.call(createDomain, { body: { domain_name: domain, customer_id: 'bench' } })
  const password = 'Bench-password-1'
  await root.call(createAccount, { query: { domain }, body: { login: '1000', password, role: 'admin' } })
  const body = { username: `1000@${domain}`, password }
  return clientOf(baseUrl, await clientOf(baseUrl).call(logIn, { body }))
}
