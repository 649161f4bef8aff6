import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { texts } from '../../../contracts/messages/texts.ts'
import { eventMessage } from '../../../contracts/messages/event.ts'
import { anEvent } from '../../support/records/records.ts'

it('a message with fields that are no flat object of texts is refused', () => {
  const refused = [undefined, null, 'text', ['text'], { a: 1 }, { a: 'text', b: null }, { a: { b: 'text' } }]

  expect(refused.filter((value) => z.safeParse(texts, value).success)).toEqual([])
  const message = { version: 1, ...anEvent(), fields: { a: ['text'] } }
  expect(z.safeParse(eventMessage, message).error?.issues.map(({ path }) => path)).toEqual([['fields']])
})

it('the fields of a message are read as they are, and none of them becomes the prototype of the others', () => {
  const fields = { 'Event-Name': 'CUSTOM', constructor: 'text', '': '' }
  const hostile = JSON.parse('{"a":"text","__proto__":"text"}')

  expect(z.parse(texts, fields)).toEqual(fields)
  expect(Object.entries(z.parse(texts, hostile))).toEqual([['a', 'text']])
})
