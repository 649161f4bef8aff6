import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { askOpenSearch } from '../../../adapters/opensearch/client.ts'
import { searchDomains } from '../../../contracts/resources.ts'
import { opened } from '../../support/processes/opened.ts'

const hourMs = 3_600_000
const stampForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/**
 * A search store. Without permission it refuses everything, else requests that were not signed by its clock, `aheadMs`
 * before ours.
 */
async function openStore() {
  const store = { aheadMs: 0, isPermitted: true, signedAheadMs: [] as number[] }
  const server = createServer((request, response) => {
    const signedAt = Date.parse(String(request.headers['x-amz-date']).replace(stampForm, '$1-$2-$3T$4:$5:$6Z'))
    const signedAheadMs = signedAt - Date.now()
    store.signedAheadMs.push(signedAheadMs)
    const isAccepted = store.isPermitted && Math.abs(signedAheadMs - store.aheadMs) < 300_000
    response.setHeader('date', new Date(Date.now() + store.aheadMs).toUTCString())
    response.writeHead(isAccepted ? 200 : 403, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    /** Begins again with another clock; returns the environment of a new client. */
    begin(aheadMs: number, isPermitted = true) {
      Object.assign(store, { aheadMs, isPermitted, signedAheadMs: [] })
      return {
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_REGION: 'eu-central-1',
        [searchDomains.cdr.variable]: `http://127.0.0.1:${port}`,
      }
    },
    signedAheadHours: () => store.signedAheadMs.map((ms) => Math.abs(Math.round(ms / hourMs))),
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const store = opened(openStore)

async function ask(env: Readonly<Record<string, string>>): Promise<number> {
  const limits = { timeoutMs: 10_000 }
  const { status } = await askOpenSearch({ env }, limits, (client, options) => client.search({ index: 'cdr' }, options))
  return status
}

test("a search that was refused because of a wrong clock is signed again with the store's time, as are later ones", async () => {
  const env = store().begin(hourMs)

  const statuses = [await ask(env), await ask(env)]

  expect(statuses).toEqual([200, 200])
  expect(store().signedAheadHours()).toEqual([0, 1, 1])
})

test('several simultaneous searches that were refused because of a wrong clock are each signed again', async () => {
  const env = store().begin(hourMs)

  expect(await Promise.all([ask(env), ask(env), ask(env)])).toEqual([200, 200, 200])
})

test('a search refused for another reason is not repeated', async () => {
  const env = store().begin(0, false)

  expect(await ask(env)).toBe(403)
  expect(store().signedAheadHours()).toEqual([0])
})

test('a search refused for another reason while the clocks differ is repeated once', async () => {
  const env = store().begin(hourMs, false)

  expect(await ask(env)).toBe(403)
  expect(store().signedAheadHours()).toEqual([0, 1])
})
