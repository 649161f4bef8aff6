import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { documentedSteps as steps, withoutPosition } from '../../support/records/documented-steps.ts'
import { aGateway } from '../../support/records/records.ts'

const domain = 'acme.example.com'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ login: '1000', domain, role: 'admin' }))) }
  await api.ports.gateways.create(aGateway({ domain, name: 'carrier' }), 9)
})

const save = (callflow: unknown) =>
  api.call(createDefaultRoute, { headers, body: { destination_number: String.raw`9(\d+)`, callflow } })

describe('docs/routes.md', () => {
  it.each(steps)('the example of the step $kind runs the applications that the page shows', async (step) => {
    expect(JSON.stringify(step.callflow)).toContain(`"${step.kind}":`)
    expect(await save(step.callflow)).toMatchObject({ status: 200 })

    const { body } = await api.call(simulateDefaultRoutes, {
      headers,
      body: { number: '9200', caller: '1000', digits: ['1'] },
    })

    const ran = body.data.steps.flatMap(({ path, application, data }: Record<string, string>) =>
      path === 'call' || application === undefined ? [] : [withoutPosition(`${application} ${data}`.trim())],
    )
    expect(ran).toEqual(step.shown)
  })

  it('docs/routes.md has an example of every kind of step that an engine runs, and of no other', async () => {
    const answer = await save([{ tts: { text: 'hello' } }])

    const [, listed = ''] = /use ([\w, ]+)/.exec(answer.text) ?? []
    expect(steps.map(({ kind }) => kind).toSorted()).toEqual(listed.split(', ').toSorted())
  })
})
