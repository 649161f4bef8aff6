import { createHash } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { cdrTemplates } from '../../../adapters/opensearch/index-template.ts'
import { openSearchCdrAdmin } from '../../../adapters/opensearch/opensearch-cdr-admin.ts'
import { prepareSearch } from '../../../contracts/preparations.ts'
import { type CloudGate, type CloudReply, startCloudGate } from '../../support/stores/cloud-gate.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const gates: CloudGate[] = []
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()))
})

const done: CloudReply = { status: 200, body: { acknowledged: true } }
const noPlugin: CloudReply = {
  status: 400,
  body: { error: 'no handler found for uri [/_cat/indices/cdr-*] and method [GET]' },
}
/** A store that answers each method and path from a list, the last entry again and again; else that it is done. */
async function aStore(
  answers: Readonly<Record<string, readonly CloudReply[]>>,
  env: Readonly<Record<string, string>> = {},
) {
  const gate = await startCloudGate()
  gates.push(gate)
  const asked = new Map<string, number>()
  gate.answer = ({ action }) => {
    const time = asked.get(action) ?? 0
    asked.set(action, time + 1)
    return answers[action]?.[time] ?? answers[action]?.at(-1) ?? done
  }
  const waits: number[] = []
  const after = (ms: number, run: () => void) => {
    waits.push(ms)
    setImmediate(run)
    return () => {}
  }
  const context = { env: { ...gate.env, ...env }, clock: movableClock(), random: systemRandomness }
  const admin = openSearchCdrAdmin(context, { timers: { after }, random: () => 0.5 })
  return { admin, waits, actions: () => gate.calls.map(({ action }) => action), calls: gate.calls }
}

const templates = [
  ...Object.keys(cdrTemplates(1)).map((name) => `POST /_index_template/${name}`),
  'POST /cdr-a-*%2Ccdr-b-*/_mapping',
]

it('a search store gets templates, and existing indices the fields of this version', async () => {
  const { admin, actions } = await aStore({})

  await admin.prepare()

  expect(actions()).toEqual(templates)
})

it.each([
  [{}, 1],
  [{ CDR_SHARDS: '12' }, 12],
])('new indices get one shard, or as many as %j says', async (env, shards) => {
  const { admin, calls } = await aStore({}, env)

  await admin.prepare()

  const [first, second] = calls.map(({ input }) => input)
  for (const template of [first, second]) {
    expect(template).toMatchObject({ template: { settings: { index: { number_of_shards: shards } } } })
  }
})

it.each([
  ['a template', { 'POST /_index_template/cdr-b': [{ status: 403, body: { Message: 'not authorized' } }] }],
  ['the fields', { 'POST /cdr-a-*%2Ccdr-b-*/_mapping': [{ status: 400, body: { error: 'mapper conflict' } }] }],
])('a store that refuses %s fails the preparation', async (_what, answers) => {
  const { admin } = await aStore(answers)

  await expect(admin.prepare()).rejects.toThrow('the search store')
})

it('an unreachable search store fails the preparation as an outage', async () => {
  const { admin } = await aStore({ 'POST /_index_template/cdr-a': [{ status: 503, body: {} }] })

  await expect(admin.prepare()).rejects.toMatchObject({ code: 'search_unavailable' })
})

/** What was just written counts from then on. */
const refreshed = 'GET /cdr-a-*%2Ccdr-b-*/_refresh'

it('only indices of months that have ended and have no CDR are removed', async () => {
  const listed = [
    { index: 'cdr-a-2025-12', 'docs.count': '0' },
    { index: 'cdr-b-2025-12', 'docs.count': '1' },
    { index: 'cdr-a-2026-01', 'docs.count': '0' },
    { index: 'cdr-b-2025-11', 'docs.count': null },
    { index: 'cdr-other', 'docs.count': '0' },
  ]
  const { admin, actions } = await aStore({ 'GET /_cat/indices/cdr-*': [{ status: 200, body: listed }] })

  await admin.removeEmpty(Date.UTC(2026, 0, 15))
  expect(actions()).toEqual([refreshed, 'GET /_cat/indices/cdr-*', 'DELETE /cdr-a-2025-12'])
})

it('a search store that keeps no list of indices has none to remove', async () => {
  const { admin, actions } = await aStore({ 'GET /_cat/indices/cdr-*': [noPlugin] })

  await admin.removeEmpty(Date.UTC(2026, 0, 15))
  expect(actions()).toEqual([refreshed, 'GET /_cat/indices/cdr-*'])
})

it.each([403, 429, 503])('a new store that answers %i for a while is asked again', async (status) => {
  const [first = ''] = templates
  const refusal: CloudReply = { status, body: { message: 'not now' } }
  const { admin, actions, waits } = await aStore({ [first]: [refusal, refusal, done] })

  await admin.prepare()

  expect(actions().filter((action) => action === first)).toHaveLength(3)
  expect(waits).toHaveLength(2)
})

it('a store that never admits the caller fails the preparation within two minutes', async () => {
  const [first = ''] = templates
  const { admin, waits } = await aStore({ [first]: [{ status: 403, body: { message: 'not authorized' } }] })

  await expect(admin.prepare()).rejects.toMatchObject({ code: 'internal_error' })
  expect(waits).toHaveLength(14)
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(110_000)
})

it('the edition of the preparation is a digest of what it prepares, and of nothing else', () => {
  const prepared = JSON.stringify(cdrTemplates(1))
  const edition = createHash('sha256').update(prepared).digest('hex').slice(0, 12)

  expect(prepareSearch.edition, `set it to '${edition}', so that deployments prepare their stores again`).toBe(edition)
})
