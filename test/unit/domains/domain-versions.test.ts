import { expect, it } from 'vitest'
import { handler as keepDomainVersion } from '../../../functions/domains/keep-domain-version.ts'
import { handler as listDomainVersions } from '../../../functions/domains/list-domain-versions.ts'
import { handler as readDomainVersion } from '../../../functions/domains/read-domain-version.ts'
import { type Api, anApi } from '../../support/platform/api.ts'

const domain = 'a.example.com'

async function anAdmin() {
  const api = anApi()
  const headers = await api.as(await api.account({ role: 'admin' }))
  return { api, headers: { ...headers } }
}

const keep = (api: Api, headers: Record<string, string>, version: string, body: unknown) =>
  api.call(keepDomainVersion, { headers, params: { domain_name: domain, version }, body })

it('kept versions are listed newest first and read with their documents', async () => {
  const { api, headers } = await anAdmin()
  await keep(api, headers, '1', { document: 'domain: für', comment: 'first' })
  await keep(api, headers, '2', { document: 'two' })

  const listed = await api.call(listDomainVersions, { headers, params: { domain_name: domain } })
  const read = await api.call(readDomainVersion, { headers, params: { domain_name: domain, version: '1' } })

  const first = { version: 1, comment: 'first', createdBy: `1000@${domain}`, createdOn: api.clock.now(), bytes: 12 }
  expect(listed.body.info).toEqual([{ ...first, version: 2, comment: '', bytes: 3 }, first])
  expect(read.body.info).toEqual({ ...first, document: 'domain: für' })
})

it('the audit trail names the version that a request kept', async () => {
  const { api, headers } = await anAdmin()

  await keep(api, headers, '1', { document: 'one' })

  expect(api.ports.state.audit).toMatchObject([
    { method: 'PUT', path: `/api/v2/domains/${domain}/versions/1`, status: 200, fields: ['document'] },
  ])
})

it('a version that was kept already is kept again only by the same request', async () => {
  const { api, headers } = await anAdmin()
  await keep(api, headers, '1', { document: 'one' })

  const again = await keep(api, headers, '1', { document: 'one' })
  const other = await keep(api, headers, '1', { document: 'another' })

  expect(again.status).toBe(200)
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

it.each([
  ['3', 409],
  ['0', 400],
  ['x', 400],
])('version %s of a domain with one version is refused with %i', async (version, status) => {
  const { api, headers } = await anAdmin()
  await keep(api, headers, '1', { document: 'one' })

  expect((await keep(api, headers, version, { document: 'next' })).status).toBe(status)
})

it.each(['2', '0', '01', 'x', '9'.repeat(30)])('version %s, which is not kept, is not found', async (version) => {
  const { api, headers } = await anAdmin()
  await keep(api, headers, '1', { document: 'one' })

  const answer = await api.call(readDomainVersion, { headers, params: { domain_name: domain, version } })

  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

it('a document larger than 1 MiB is refused', async () => {
  const { api, headers } = await anAdmin()

  expect((await keep(api, headers, '1', { document: 'x'.repeat(1024 * 1024) })).status).toBe(413)
})
