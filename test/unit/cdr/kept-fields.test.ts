import { describe, expect, test } from 'vitest'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import { cdrFromPost, postDomainCandidates } from '../../../core/cdr/cdr-from-post.ts'
import { keptFields } from '../../../core/cdr/kept-fields.ts'
import { readCdrPost } from '../../../functions/engine/read-cdr-post.ts'
import { recordedEnds, recordedPosts } from '../../support/recorded-cdrs.ts'

const leg = (fields: Readonly<Record<string, string>>) => ({
  domain: 'd',
  uuid: 'u',
  occurredAt: 1_795_218_700_000,
  fields,
})

describe('what is queued of an ended leg', () => {
  test.each(recordedEnds().map(({ name, event }) => [`${name} ${event.uuid}`, event.headers()] as const))(
    'of the event of %s makes the same CDR',
    (_name, told) => {
      expect(cdrFromEvent(leg(keptFields(told)))).toEqual(cdrFromEvent(leg(told)))
    },
  )

  test.each(recordedPosts().map(({ name, body }) => [name, readCdrPost(body)] as const))(
    'of the post %s makes the same CDR, of the same tenant',
    (_name, told) => {
      expect(cdrFromPost(leg(keptFields(told)))).toEqual(cdrFromPost(leg(told)))
      expect(postDomainCandidates(keptFields(told))).toEqual(postDomainCandidates(told))
    },
  )

  test('of a made end is known to be made, and which leg it was', () => {
    const told = { Synthetic: 'true', 'Channel-Name': 'loopback/1-b', variable_originating_leg_uuid: 'origin' }

    expect(cdrFromEvent(leg(keptFields(told)))).toEqual(cdrFromEvent(leg(told)))
  })

  test('holds no credential, no key of the media, and nothing that no CDR is made from', () => {
    const told = {
      variable_sip_auth_password: 'hunter2',
      variable_switch_r_sdp: 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:key',
      variable_note: 'kept',
      _body: 'some body',
      'Caller-Unique-ID': 'u',
    }

    expect(keptFields(told)).toEqual({ variable_note: 'kept' })
  })

  test('is bounded, however much a leg told, and keeps what says whose it is', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`variable_${'n'.repeat(100)}${index}`, 'x'.repeat(50)]),
    )
    const told = { ...many, 'Caller-Caller-ID-Name': 'n'.repeat(500_000), 'Caller-Context': 'a.example.com' }

    const kept = keptFields(told)

    expect(Object.entries(kept).flat().join('').length).toBeLessThan(150_000)
    expect(kept).toMatchObject({ 'Caller-Context': 'a.example.com' })
  })
})
