// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
/** The engine's document of a call, read as the engine reads it: line by line first, then as XML. */
import { XMLParser } from 'fast-xml-parser'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as lookUpDialplan } from '../../../functions/engine/look-up-dialplan.ts'
import { writeDialplanXml } from '../../../functions/engine/write-dialplan-xml.ts'
import { fromByteText, toByteText } from '../../../packages/simulated-freeswitch/runtime/byte-text.ts'
import { preprocessXml } from '../../../packages/simulated-freeswitch/lookups/preprocess-xml.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { fixed, hostileText } from '../../support/records/hostile-text.ts'
import { aRoute } from '../../support/records/records.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const domain = 'a.example.com'
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => name === 'action',
})

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ login: '1000', domain, role: 'admin' }))) }
})

/** Returns the applications of a document; fails when the engine's preprocessor would change it. */
function applicationsIn(xml: string): string[] {
  const { text, directives } = preprocessXml(toByteText(xml))
  expect({ text: fromByteText(text), directives }).toEqual({ text: xml.toWellFormed(), directives: [] })
  expect(xml).not.toMatch(/<\?|<include|x-pre-process|<!--#|\$\$\{/i)
  const { section } = parser.parse(fromByteText(text)).document
  const actions: { application: string; data: string }[] = section.context?.extension.condition.action ?? []
  return actions.map(({ application, data }) => `${application} ${data}`)
}

async function ask(fields: Record<string, string>): Promise<string[]> {
  const basic = engineAuthorization(api.ports.secrets.engine)
  const answer = await api.call(lookUpDialplan, {
    rawBody: new URLSearchParams({ section: 'dialplan', 'Hunt-Context': domain, ...fields }).toString(),
    headers: { ...basic, 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(answer.status).toBe(200)
  return applicationsIn(answer.text)
}

const route = async (callflow: unknown, destination_number = '.+') => {
  const answer = await api.call(createDefaultRoute, { headers, body: { destination_number, callflow } })
  expect(answer.status).toBe(200)
}

/** Pieces with a meaning for the preprocessor or for the engine's applications. */
const hostile = fc.oneof(
  hostileText,
  fc
    .array(
      fc.constantFrom(
        '<?',
        '<include>',
        'X-PRE-PROCESS',
        '<!--#exec id-->',
        '$${domain}',
        '${system(id)}',
        '$1',
        '"/>',
        '&',
        '\r\n',
        ',',
        '|',
        '{',
        ']',
        ':_:',
        ' ',
        '-both',
        '7',
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((pieces) => pieces.join('')),
)

describe('the document of a call', () => {
  it('the engine reads the same actions from the document that were written, whatever text they contain', () => {
    fc.assert(
      fc.property(hostile, hostile, (context, data) => {
        // oxlint-disable-next-line no-control-regex -- XML cannot hold these
        const readable = data.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')

        expect(applicationsIn(writeDialplanXml(context, [{ application: 'set', data }]))).toEqual([`set ${readable}`])
      }),
      fixed(500),
    )
  })

  it.each([
    ['a caller', 'Hunt-Caller-ID-Number', [{ conference: 'r-${caller_id_number}' }, { goto: '${caller_id_number}' }]],
    ['a dialled text', 'Hunt-Destination-Number', [{ playback: '${destination_number}.wav' }, { goto: '$0' }]],
    [
      'a dialled text',
      'Hunt-Destination-Number',
      [{ bridge: { endpoints: [{ type: 'gateway', name: 'gw', dialString: '0$1' }] } }, { park: '$1' }],
    ],
  ] as const)(
    'the document has nothing of %s (%s) but letters, digits and + * # . _ -',
    async (_who, field, callflow) => {
      await route(callflow, '(?s)(.+)')

      await fc.assert(
        fc.asyncProperty(hostile, async (text) => {
          const given = { 'Hunt-Destination-Number': '5', 'Hunt-Caller-ID-Number': '7', [field]: text }
          const filled = (await ask(given)).filter((line) =>
            /^(?:conference|transfer|playback|bridge|valet)/.test(line),
          )

          for (const line of filled) {
            expect(line.replace('${sounds_folder}', '').replace(/@default$/, '')).toMatch(/^[a-z_]+ [\w.+*#/ -]+$/)
            expect(line).not.toMatch(/transfer -/)
          }
        }),
        fixed(200),
      )
    },
  )

  it('a question for a context that is no domain, or for another section, is answered as not found', async () => {
    await route([{ answer: '' }])

    expect(await ask({ 'Hunt-Destination-Number': '5', 'Hunt-Context': 'b.example.com' })).toEqual([])
    expect(await ask({ 'Hunt-Destination-Number': '5', section: 'directory' })).toEqual([])
    expect(await ask({ 'Hunt-Destination-Number': '5' })).toContain('answer ')
  })

  it.each(['}sofia/gateway/other_gw/1', 'a]b', 'a"b', 'a|user/2', 'a:_:b', '^^;a', String.raw`a\b`])(
    'a bridge is refused when a variable of its list is %j, although the pattern of the operator allows every text',
    async (tier) => {
      const added = anApi({ CLIENT_VARIABLES: '{"tier":".+"}' })
      const admin = await added.as(await added.account({ login: '1000', domain, role: 'admin' }))
      const endpoint = { type: 'user', name: '1001' }
      const create = (bridge: unknown) =>
        added.call(createDefaultRoute, {
          headers: { ...admin },
          body: { destination_number: '.+', callflow: [{ bridge }] },
        })

      expect(await create({ endpoints: [endpoint], variables: { tier } })).toMatchObject({ status: 400 })
      expect(await create({ endpoints: [{ ...endpoint, variables: { tier } }] })).toMatchObject({ status: 400 })
      expect(await create({ endpoints: [endpoint], variables: { tier: 'gold, silver' } })).toMatchObject({
        status: 200,
      })
    },
  )

  const [six, thirty] = [6, 30].map((count) => `${'\\'.repeat(count)}\${svc_apostrophe}`)
  it.each([
    [{ codecs: ['PCMU', 'PCMA'] }, {}, String.raw`{absolute_codec_string=PCMU\,PCMA}user/1001`],
    [{}, { directory_full_name: 'Lee, Ann', x_a: '1' }, String.raw`[directory_full_name=Lee\, Ann,x_a=1]user/1001`],
    [
      { variables: { directory_full_name: "Ann d'Arc, O'Neil", x_a: '1' } },
      {},
      String.raw`{directory_full_name=Ann d${six}Arc\, O${six}Neil}{x_a=1}user/1001`,
    ],
    [{}, { directory_full_name: "O'Neil", x_a: '1' }, `[directory_full_name=O${thirty}Neil][x_a=1]user/1001`],
  ])(
    'commas and apostrophes in values of a bridge are written for the engine: %j, %j',
    async (bridge, own, expected) => {
      await route([{ bridge: { endpoints: [{ type: 'user', name: '1001', variables: own }], ...bridge } }], '5')

      const actions = await ask({ 'Hunt-Destination-Number': '5' })
      expect(actions.at(-1)).toBe(`bridge ${expected}@${domain}`)
      expect(actions.includes("set svc_apostrophe='")).toBe(expected.includes('${svc_apostrophe}'))
    },
  )

  it('the document of a stored route leaves out exactly the steps that would be refused today', async () => {
    const added = anApi({ CLIENT_VARIABLES: '{"tier":"gold"}' })
    const own = { ...(await added.as(await added.account({ login: '1000', domain, role: 'admin' }))) }
    const inner = [{ setVar: 'tier=gold' }, { answer: '' }]
    const body = { destination_number: '5', callflow: [{ if: { expression: '1', then: inner } }] }
    expect((await added.call(createDefaultRoute, { headers: own, body })).status).toBe(200)
    api = anApi().with({ ...added.ports })

    expect((await ask({ 'Hunt-Destination-Number': '5' })).slice(-2)).toEqual([
      'set recording_follow_transfer=true',
      'answer ',
    ])
  })

  it('a call continues its route only under the number that it asked for, and is routed again after a transfer', async () => {
    await route([{ setVar: 'x_vip=1' }, { sleep: 100 }, { if: { expression: '1', then: [{ echo: '' }] } }], '5')
    await route([{ hangup: 'USER_BUSY' }], '6')
    const asked = (await ask({ 'Hunt-Destination-Number': '5' })).find((line) => line.includes('svc_route'))
    const variable_svc_route = asked?.replace('set svc_route=', '') ?? ''

    const onward = await ask({ 'Hunt-Destination-Number': '5', variable_svc_route })
    const elsewhere = await ask({ 'Hunt-Destination-Number': '6', variable_svc_route })

    expect(onward).toEqual(['unset svc_route', 'echo '])
    expect([elsewhere.at(0), elsewhere.at(-1)]).toEqual(['unset svc_route', 'hangup USER_BUSY'])
  })

  it('a call ends if its route can no longer be read', async () => {
    const callflow = [{ answer: '' }, { nothing: 1 }, { setVar: 'execute_on_answer=system id' }]
    await api.ports.defaultRoutes.create(aRoute({ domain, destinationNumber: '5', callflow }), 0)

    expect(await ask({ 'Hunt-Destination-Number': '5' })).toEqual(['hangup NORMAL_TEMPORARY_FAILURE'])
  })
})
