import { describe, expect, test } from 'vitest'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import { cdrFromPost, postDomainCandidates } from '../../../core/cdr/cdr-from-post.ts'
import { keptFields } from '../../../core/cdr/kept-fields.ts'
import { readCdrPost } from '../../../functions/engine/read-cdr-post.ts'
import { recordedEnds, recordedPosts } from '../../support/records/recorded-cdrs.ts'

const leg = (fields: Readonly<Record<string, string>>) => ({
  domain: 'd',
  uuid: 'u',
  occurredAt: 1_795_218_700_000,
  fields,
})

describe('what is queued of an ended leg', () => {
  test.each(recordedEnds().map(({ name, event }) => [`${name} ${event.uuid}`, event.headers()] as const))(
    'the queued fields of the event of %s make the same CDR',
    (_name, fields) => {
      expect(cdrFromEvent(leg(keptFields(fields)))).toEqual(cdrFromEvent(leg(fields)))
    },
  )

  test.each(recordedPosts().map(({ name, body }) => [name, readCdrPost(body)] as const))(
    'the queued fields of the post %s make the same CDR, of the same tenant',
    (_name, fields) => {
      expect(cdrFromPost(leg(keptFields(fields)))).toEqual(cdrFromPost(leg(fields)))
      expect(postDomainCandidates(keptFields(fields))).toEqual(postDomainCandidates(fields))
    },
  )

  test('the queued fields of a synthetic end keep the mark of a synthetic event and the leg', () => {
    const fields = { Synthetic: 'true', 'Channel-Name': 'loopback/1-b', variable_originating_leg_uuid: 'origin' }

    expect(cdrFromEvent(leg(keptFields(fields)))).toEqual(cdrFromEvent(leg(fields)))
  })

  test('the queued fields of an ended leg contain no credential, no media key, and nothing that a CDR does not use', () => {
    const fields = {
      variable_sip_auth_password: 'hunter2',
      variable_switch_r_sdp: 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:key',
      variable_note: 'kept',
      _body: 'some body',
      'Caller-Unique-ID': 'u',
    }

    expect(keptFields(fields)).toEqual({ variable_note: 'kept' })
  })

  test('the queued fields of an ended leg are bounded, however many it had, and keep those that identify its owner', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`variable_${'n'.repeat(100)}${index}`, 'x'.repeat(50)]),
    )
    const fields = { ...many, 'Caller-Caller-ID-Name': 'n'.repeat(500_000), 'Caller-Context': 'a.example.com' }

    const kept = keptFields(fields)

    expect(Object.entries(kept).flat().join('').length).toBeLessThan(150_000)
    expect(kept).toMatchObject({ 'Caller-Context': 'a.example.com' })
  })

  test('a leg with more names than are remembered changes nothing about the next leg', () => {
    const fields = { variable_note: 'kept', variable_my_password: 'hunter2', variable_duration: '7' }
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`variable_x_${index}`, 'x']))
    const before = keptFields(fields)
    keptFields(many)

    expect(keptFields(fields)).toEqual(before)
    expect(before).toEqual({ variable_note: 'kept', variable_duration: '7' })
  })
})
