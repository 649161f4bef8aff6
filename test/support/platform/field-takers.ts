/**
 * The endpoints that take names and settings of accounts, domains, blacklists and mail, and what they make of a value.
 */
import { expect } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as addBlacklistNumber } from '../../../functions/blacklists/add-blacklist-number.ts'
import { handler as listBlacklists } from '../../../functions/blacklists/list-blacklists.ts'
import { handler as readBlacklist } from '../../../functions/blacklists/read-blacklist.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as readDomain } from '../../../functions/domains/read-domain.ts'
import { handler as updateDomainParameters } from '../../../functions/domains/update-domain-parameters.ts'
import { handler as updateDomainVariables } from '../../../functions/domains/update-domain-variables.ts'
import { handler as createEmailSettings } from '../../../functions/email/create-email-settings.ts'
import { handler as readEmailSettings } from '../../../functions/email/read-email-settings.ts'
import { handler as replaceEmailSettings } from '../../../functions/email/replace-email-settings.ts'
import type { ApiAnswer, ApiRequest } from './api.ts'
import {
  type FieldHarness,
  type Settings,
  fieldDomain as domain,
  proveAccount,
  proveDomain,
  proveDomainSettings,
  provePassword,
  proveSettings,
} from './field-harness.ts'

const account = { login: '2000', password: 's3cr3t-long enough', role: 'user' }
const tenant = { domain_name: 'new.example.com', customer_id: 'c1' }
const mail = { provider: 'smtp', from: 'pbx@a.example.com', options: { host: 'smtp.example.com', port: 465 } }

/** One endpoint that takes a field. */
export interface Taker {
  readonly operation: string
  /** The beginnings of a refusal's details, of which one is expected. */
  readonly named: readonly string[]
  send(harness: FieldHarness, value: unknown): Promise<ApiAnswer>
  /** Proves that a value which was taken is there, byte for byte and in one place. */
  prove(harness: FieldHarness, value: unknown): Promise<void>
}

/** Who takes each field. */
export const takers: Readonly<Record<string, readonly Taker[]>> = {
  login: [ofNewAccount('login', async (harness, value) => proveAccount(harness, String(value)))],
  password: [
    ofNewAccount('password', (harness, value) => provePassword(harness, '2000', String(value))),
    ofOldAccount('password', (harness, value) => provePassword(harness, '1001', String(value))),
  ],
  parameters: settingTakers('parameters', updateDomainParameters),
  variables: settingTakers('variables', updateDomainVariables),
  domain_name: [ofNewDomain('domain_name', (harness, value) => proveDomain(harness, String(value)))],
  customer_id: [
    ofNewDomain('customer_id', async ({ api, root }, value) => {
      const answer = await api.call(readDomain, { params: { domain_name: tenant.domain_name }, headers: root })
      expect(answer.body.info.customer_id).toBe(value)
    }),
  ],
  blacklist_name: [
    {
      operation: 'addBlacklistNumber',
      named: ['blacklist_name'],
      send: (harness, value) => add(harness, String(value), { number: '1' }),
      prove: async ({ api, admin }, value) => {
        expect((await api.call(listBlacklists, { headers: admin })).body).toEqual([{ name: value }])
      },
    },
  ],
  number: [
    {
      operation: 'addBlacklistNumber',
      named: ['number'],
      send: (harness, value) => add(harness, 'spam', { number: value }),
      prove: async ({ api, admin }, value) => {
        const { body } = await api.call(readBlacklist, { headers: admin, params: { blacklist_name: 'spam' } })
        expect(body).toMatchObject([
          {
            number: String(value)
              .replaceAll(/[ ().-]/g, '')
              .toLowerCase(),
            name: 'spam',
          },
        ])
      },
    },
  ],
  note: [
    {
      operation: 'addBlacklistNumber',
      named: ['note'],
      send: (harness, value) => add(harness, 'spam', { number: '1', note: value }),
      prove: async ({ api, admin }, value) => {
        const { body } = await api.call(readBlacklist, { headers: admin, params: { blacklist_name: 'spam' } })
        expect(body).toMatchObject([{ number: '1', note: value }])
      },
    },
  ],
  from: mailTakers('from'),
  description: mailTakers('description'),
  'options.host': mailTakers('options.host'),
  'options.port': mailTakers('options.port'),
  'options.tls.rejectUnauthorized': mailTakers('options.tls.rejectUnauthorized'),
}

function ofNewAccount(field: string, prove: Taker['prove']): Taker {
  const send: Taker['send'] = ({ api, admin }, value) =>
    api.call(createAccount, { headers: admin, body: { ...account, [field]: value } })
  return { operation: 'createAccount', named: [field], send, prove }
}

function ofOldAccount(field: string, prove: Taker['prove']): Taker {
  const send: Taker['send'] = ({ api, admin }, value) =>
    api.call(updateAccount, { headers: admin, params: { account_id: '1001' }, body: { [field]: value } })
  return { operation: 'updateAccount', named: [field], send, prove }
}

function ofNewDomain(field: string, prove: Taker['prove']): Taker {
  const send: Taker['send'] = ({ api, root }, value) =>
    api.call(createDomain, { headers: root, body: { ...tenant, [field]: value } })
  return { operation: 'createDomain', named: [field], send, prove }
}

function settingTakers(
  field: Settings,
  change: typeof updateDomainParameters | typeof updateDomainVariables,
): readonly Taker[] {
  const params = { domain_name: domain }
  return [
    ofNewAccount(field, (harness, value) => proveSettings(harness, '2000', field, value)),
    ofOldAccount(field, (harness, value) => proveSettings(harness, '1001', field, value)),
    ofNewDomain(field, (harness, value) => proveDomainSettings(harness, tenant.domain_name, field, value)),
    {
      operation: change.route.operationId,
      named: ['[', field],
      send: ({ api, admin }, value) => api.call<typeof change.route>(change, { headers: admin, params, body: value }),
      prove: (harness, value) => proveDomainSettings(harness, domain, field, value),
    },
  ]
}

function mailTakers(field: string): readonly Taker[] {
  const prove: Taker['prove'] = async ({ api, admin }, value) => {
    const { body } = await api.call(readEmailSettings, { headers: admin })
    expect(field.split('.').reduce((inner, name) => inner[name], body)).toBe(value)
  }
  const send = (handler: typeof createEmailSettings | typeof replaceEmailSettings): Taker['send'] => {
    return ({ api, admin }, value) =>
      api.call<typeof handler.route>(handler, { headers: admin, body: withField(mail, field.split('.'), value) })
  }
  return [
    { operation: 'createEmailSettings', named: [field], send: send(createEmailSettings), prove },
    { operation: 'replaceEmailSettings', named: [field], send: send(replaceEmailSettings), prove },
  ]
}

function withField(into: object, [name = '', ...deeper]: readonly string[], value: unknown): object {
  const inner = Object(new Map<string, unknown>(Object.entries(into)).get(name))
  return { ...into, [name]: deeper.length === 0 ? value : withField(inner, deeper, value) }
}

const add = ({ api, admin }: FieldHarness, list: string, body: ApiRequest['body']) =>
  api.call(addBlacklistNumber, { headers: admin, params: { blacklist_name: list }, body })
