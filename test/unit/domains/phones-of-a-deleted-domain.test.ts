import { expect, it } from 'vitest'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as deleteDomain } from '../../../functions/domains/delete-domain.ts'
import { anApi } from '../../support/platform/api.ts'
import { askDirectory, engineUsers } from '../../support/platform/directory-reader.ts'

const name = 'a.example.com'
const phone = { user: '1000', domain: name, action: 'sip_auth' } as const

async function setUp() {
  const api = anApi()
  await api.account()
  const root = { ...(await api.as('root')) }
  const remove = () => api.call(deleteDomain, { params: { domain_name: name }, headers: root })
  return { api, root, remove, users: engineUsers(api) }
}

it('no phone of a deleted domain can register once that is answered, not even by a record that the engine cached', async () => {
  const { api, users, remove } = await setUp()
  expect(await users.ask(phone)).toMatchObject({ login: '1000' })
  api.ports.engine.answer = ({ kind }) => {
    if (kind === 'drop-domain-registrations') users.flush()
    return { state: 'done', text: '+OK 1\n' }
  }

  await remove()

  expect(await users.ask(phone)).toBe('unknown')
})

it('the phones of a deleted domain are dropped only after the directory no longer knows them', async () => {
  const { api, remove } = await setUp()
  const known: Promise<unknown>[] = []
  api.ports.engine.answer = ({ kind }) => {
    if (kind === 'drop-domain-registrations')
      known.push(askDirectory(api, `section=directory&user=1000&domain=${name}`))
    return { state: 'done', text: '+OK 1\n' }
  }

  await remove()

  expect(await Promise.all(known)).toMatchObject([{ status: 'not found' }])
})

it.each<[string, CommandOutcome | undefined]>([
  ['does not answer', undefined],
  ['is away', { state: 'unsent', reason: 'disconnected' }],
  ['refuses', { state: 'refused', text: '-ERR 1 profiles left\n' }],
])(
  'a domain is deleted also when the engine %s, and the answer says that its phones are not dropped yet',
  async (_what, outcome) => {
    const { api, remove } = await setUp()
    api.ports.engine.answer = () => outcome

    expect(await remove()).toMatchObject({
      status: 200,
      body: { 'more info': 'the domain is deleted; the engine could not drop its phones yet' },
    })
  },
)

it('a new domain makes the engine forget every record, since one of them could be taken for that of its user', async () => {
  const { api, root } = await setUp()

  await api.call(createDomain, { body: { domain_name: 'new.example.com', customer_id: 'c' }, headers: root })

  expect(api.ports.engine.given).toEqual([
    { command: { kind: 'flush-directory' }, scope: { domain: 'new.example.com', presenceId: null } },
  ])
})
