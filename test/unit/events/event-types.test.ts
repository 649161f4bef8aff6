import asyncApi from '@asyncapi/specs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, it } from 'vitest'
import { asyncApiDocument } from '../../../contracts/asyncapi/document.ts'
import { serviceEventKinds } from '../../../core/events/catalogue.ts'
import { eventTypes } from '../../../core/events/event-types.ts'
import { sampleEvent } from '../../../core/events/sample-event.ts'
import { serviceEvent } from '../../../core/events/service-event.ts'
import { handler as readEventDescription } from '../../../functions/descriptions/read-event-description.ts'
import { handler as listEventTypes } from '../../../functions/events/list-event-types.ts'
import { recordingNames } from '../../support/engine/engine-recordings.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'
import { anApi } from '../../support/platform/api.ts'

const ajv = new Ajv2020({ strict: true, allErrors: true })
const judges = new Map(eventTypes().map(({ event, schema }) => [event, ajv.compile(schema)]))

/**
 * Returns what is wrong with the fields of an event by the schema of its name; `undefined` for a name without a schema.
 */
function problemsOf(name: string, fields: Readonly<Record<string, string>>): string | undefined {
  const judge = judges.get(name)
  if (judge === undefined) return undefined
  return judge(fields) ? '' : ajv.errorsText(judge.errors)
}

it('every recorded event of a call has the fields of its schema', () => {
  const recorded = recordingNames()
    .filter((name) => name.startsWith('events/'))
    .flatMap(recordedEslEvents)
  const judged = recorded.flatMap((event) => {
    const { name } = event
    const problems = problemsOf(name, { ...event.headers(), 'Event-Domain': 'a.example.com' })
    return problems === undefined ? [] : [{ name, problems }]
  })

  expect(judged.filter(({ problems }) => problems !== '')).toEqual([])
  expect(new Set(judged.map(({ name }) => name)).size).toBeGreaterThan(15)
})

it('every event of the platform and every sample has the fields of its schema', () => {
  for (const kind of serviceEventKinds) {
    const made = serviceEvent({ kind, id: 'cause', domain: 'a.example.com', occurredAt: 1, fields: {} })
    expect(problemsOf(made.name, made.fields), made.name).toBe('')
  }
  for (const { event } of eventTypes()) {
    expect(problemsOf(event, sampleEvent(event, 'a.example.com', { id: 'sample', now: 1 }).fields), event).toBe('')
  }
})

it('an event with a field that is no text, or without its domain, does not match its schema', () => {
  const { fields } = sampleEvent('CHANNEL_ANSWER', 'a.example.com', { id: 'sample', now: 1 })
  const { 'Event-Domain': _domain, ...without } = fields

  expect(problemsOf('CHANNEL_ANSWER', without)).toContain("'Event-Domain'")
  expect(problemsOf('CHANNEL_ANSWER', { ...fields, 'Event-Name': 'CHANNEL_CREATE' })).toContain('constant')
})

it('any user can read the known event types with their schemas', async () => {
  const api = anApi()
  const headers = { ...(await api.as(await api.account())) }

  const { status, body } = await api.call(listEventTypes, { headers })

  expect(status).toBe(200)
  expect(body.data).toEqual(JSON.parse(JSON.stringify(eventTypes())))
})

it('the description of deliveries names each known event once, and all of its references resolve', async () => {
  const answer = await anApi().call(readEventDescription)

  expect(answer.body).toEqual(JSON.parse(JSON.stringify(asyncApiDocument(eventTypes()))))
  const references = [...answer.text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  const found = references.map((path) => path.split('/').reduce((at, name) => at?.[name], answer.body))
  expect(found.filter((each) => each === undefined)).toEqual([])
  expect(Object.keys(answer.body.components.messages)).toHaveLength(eventTypes().length)
})

it('the description of deliveries is valid by the published schema of AsyncAPI 3', async () => {
  // Not every schema of theirs is strict. The variant without identifiers is one document, which nothing has to load.
  const published = new Ajv({ strict: false, allErrors: true })
  formats.default(published)
  const judge = published.compile(asyncApi.schemasWithoutId['3.0.0'])
  const { body } = await anApi().call(readEventDescription)
  const misspelt = { ...body, channels: { hook: { ...body.channels.hook, adress: null } } }

  expect(judge(misspelt)).toBe(false)
  expect(judge(body), published.errorsText(judge.errors)).toBe(true)
})
