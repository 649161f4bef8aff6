import { describe, expect, test } from 'vitest'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import { variableLimits } from '../../../core/cdr/cdr-variables.ts'
import { recordedEnds } from '../../support/records/recorded-cdrs.ts'

const occurredAt = 1_795_217_672_000
const uuid = 'c0ffee00-0000-4000-8000-000000000001'

/** The headers of an ended call's event, as far as a test says. */
const anEnd = (fields: Readonly<Record<string, string>> = {}) => ({
  domain: 'tenant1.example.com',
  uuid,
  occurredAt,
  fields: { 'Caller-Channel-Created-Time': '1795217670612708', ...fields },
})

/** The CDR of an event; the test fails where there is none. */
function cdrOf(fields: Readonly<Record<string, string>> = {}): Cdr {
  const part = cdrFromEvent(anEnd(fields))
  if (part === undefined) throw new Error('the event has no CDR')
  return part.cdr
}

const ends = recordedEnds()

/** The legs of the calls of some recordings, in alphabetical order. */
const legs: Readonly<Record<string, string>> = {
  'events/bridged-call.json': 'ab',
  'events/bridged-call.plain': 'ab',
  'events/busy.json': 'ab',
  'events/echo-call.json': 'a',
  'events/hold-by-api.json': 'ab',
  'events/inbound-sip-echo.json': 'a',
  'events/loopback-call.json': 'ab',
  'events/no-answer.json': 'abb',
  'events/park-transfer.json': 'ab',
  'events/uuid-bridge.json': 'ab',
}

describe('the CDR of every recorded end of a call', () => {
  test('every recorded end of a call can be read', () => {
    expect(ends.length).toBeGreaterThan(60)
  })

  test.each(ends.map(({ name, event }) => [`${name} ${event.uuid}`, event] as const))(
    'the CDR of the recorded end %s is correct',
    (_name, event) => {
      const raw = event.headers()
      const made = Math.floor(Number(raw['Event-Date-Timestamp']) / 1_000)
      const part = cdrFromEvent({
        domain: 'tenant1.example.com',
        uuid: event.uuid,
        occurredAt: made,
        fields: raw,
      })
      const seconds = (name: string) => (raw[name] === undefined ? undefined : Number(raw[name]))
      const [billsec, holdsec] = [seconds('variable_billsec'), seconds('variable_hold_accum_seconds')]
      const presenceId = raw['Channel-Presence-ID']

      expect(part?.source).toBe('event')
      const { variables, leg, ...cdr } = part?.cdr ?? cdrOf()
      expect(cdr).toEqual(
        withoutAbsent({
          uuid: event.uuid,
          domain_name: 'tenant1.example.com',
          created_time: Math.floor(Number(raw['Caller-Channel-Created-Time']) / 1000),
          parent_uuid: raw['variable_originating_leg_uuid'] ?? (leg === 'b' ? raw['Other-Leg-Unique-ID'] : undefined),
          direction: raw['Call-Direction'],
          presence_id: presenceId,
          extension: presenceId?.split('@')[0],
          caller_id_name: raw['Caller-Caller-ID-Name'],
          caller_id_number: raw['Caller-Caller-ID-Number'],
          destination_number: raw['Caller-Destination-Number'],
          network_addr: raw['variable_sip_network_ip'] ?? raw['Caller-Network-Addr'],
          source: raw['Caller-Source'],
          gateway: raw['variable_sip_gateway_name'],
          duration: seconds('variable_duration'),
          billsec,
          progresssec: seconds('variable_progresssec'),
          answersec: seconds('variable_answersec'),
          waitsec: seconds('variable_waitsec'),
          holdsec,
          talksec: billsec === undefined || holdsec === undefined ? undefined : billsec - holdsec,
          hangup_cause: raw['variable_hangup_cause'],
          hangup_cause_q850: seconds('variable_hangup_cause_q850'),
          hangup_disposition: raw['variable_sip_hangup_disposition'],
          originate_disposition: raw['variable_originate_disposition'],
          transfer_disposition: raw['variable_transfer_disposition'],
          quality_percentage_audio: seconds('variable_rtp_audio_in_quality_percentage'),
        }),
      )
      expect(cdr.hangup_cause).toMatch(/^[A-Z_]+$/)
      for (const [name, value] of Object.entries(variables))
        expect([name, raw[`variable_${name}`]]).toEqual([name, value])
      expect(JSON.stringify(variables)).not.toMatch(/crypto|secret|a=rtpmap|Digest/)
    },
  )

  test.each(Object.entries(legs))('%s has the legs %s', (name, expected) => {
    const legs = ends.filter((end) => end.name === name).map(({ event }) => cdrOf(event.headers()).leg)

    expect(legs.toSorted().join('')).toBe(expected)
  })
})

test('the CDR of a call has the number before the parameters of the dialled text', () => {
  expect(cdrOf({ 'Caller-Destination-Number': '1002;user=phone' }).destination_number).toBe('1002')
})

describe('the leg of a call', () => {
  test.each([
    ['a leg that came from outside', {}, 'a', undefined],
    ['a leg that was made by an order, though it is outbound', { 'Call-Direction': 'outbound' }, 'a', undefined],
    ['a leg that called another', { 'Other-Type': 'originatee', 'Other-Leg-Unique-ID': 'other' }, 'a', undefined],
    ['a leg that another called', { 'Other-Type': 'originator', 'Other-Leg-Unique-ID': 'OTHER' }, 'b', 'OTHER'],
    [
      'a leg that a UUID in capitals called',
      { 'Other-Type': 'originator', 'Other-Leg-Unique-ID': 'C0FFEE00-0000-4000-8000-00000000000A' },
      'b',
      'c0ffee00-0000-4000-8000-00000000000a',
    ],
    ['a leg with an origin', { variable_originating_leg_uuid: 'origin' }, 'b', 'origin'],
    [
      'a leg whose origin is not the one that it is joined to now',
      { variable_originating_leg_uuid: 'origin', 'Other-Type': 'originator', 'Other-Leg-Unique-ID': 'other' },
      'b',
      'origin',
    ],
    ['the first half of a loopback pair', { variable_loopback_leg: 'A' }, 'a', undefined],
    ['the second half of a loopback pair', { variable_loopback_leg: 'B' }, 'b', undefined],
    ['the second half of a pair, by its name alone', { 'Channel-Name': 'loopback/9198-b' }, 'b', undefined],
    [
      'a leg of the service, though a variable names another leg',
      {
        'Call-Direction': 'outbound',
        variable_domain_name: 'tenant1.example.com',
        variable_origination_uuid: uuid,
        variable_originating_leg_uuid: 'hidden',
      },
      'a',
      undefined,
    ],
    [
      'a leg that a phone placed, though a variable names another leg',
      { 'Call-Direction': 'inbound', 'Caller-Source': 'mod_sofia', variable_originating_leg_uuid: 'hidden' },
      'a',
      undefined,
    ],
    [
      'a leg that a phone placed to take the place of another (Replaces)',
      {
        'Call-Direction': 'inbound',
        'Caller-Source': 'mod_sofia',
        'Other-Type': 'originator',
        'Other-Leg-Unique-ID': 'x',
      },
      'a',
      undefined,
    ],
    [
      'a leg that a phone placed and named like half of a loopback pair (X-FS-Channel-Name)',
      { 'Call-Direction': 'inbound', 'Caller-Source': 'mod_sofia', 'Channel-Name': 'loopback/9198-b' },
      'a',
      undefined,
    ],
    [
      'the second half of a loopback pair, as the engine reports it',
      { 'Call-Direction': 'inbound', 'Caller-Source': 'mod_loopback', variable_loopback_leg: 'B' },
      'b',
      undefined,
    ],
  ] as const)('%s', (_what, fields: Record<string, string>, leg, parent) => {
    expect(cdrOf(fields)).toMatchObject({ leg })
    expect(cdrOf(fields).parent_uuid).toBe(parent)
  })
})

describe('malformed fields of an end of a call', () => {
  test.each(['', '-1', '1.5', 'NaN', '0x10', '1e3', ' 7', '99999999999', '9'.repeat(40), 'abc'])(
    'a duration of %j is left out',
    (duration) => {
      expect(cdrOf({ variable_duration: duration })).not.toHaveProperty('duration')
    },
  )

  test.each(['', '101', '-1', 'nan', '1e1', '100.0000001'])('a quality of %j is left out', (quality) => {
    expect(cdrOf({ variable_rtp_audio_in_quality_percentage: quality })).not.toHaveProperty('quality_percentage_audio')
  })

  test('a call whose hold is longer than its billed time has a talk time of zero and not a negative one', () => {
    expect(cdrOf({ variable_billsec: '4', variable_hold_accum_seconds: '5' })).toMatchObject({ talksec: 0 })
  })

  test('microseconds are rounded down to milliseconds', () => {
    expect(cdrOf({ 'Caller-Channel-Created-Time': '1795217670612999' }).created_time).toBe(1_795_217_670_612)
  })

  test.each(['', '0', '12', 'x', '99999999999999999999', '253402300800000000'])(
    'a creation at %j is none: the start counts, then the end',
    (created) => {
      const bad = { 'Caller-Channel-Created-Time': created }

      expect(cdrOf({ ...bad, variable_start_uepoch: '1795217670000000' }).created_time).toBe(1_795_217_670_000)
      expect(cdrOf(bad).created_time).toBe(occurredAt)
    },
  )

  const day = 86_400_000

  test.each([
    ['25 hours later', 25 * 3_600_000],
    ['6 minutes later', 6 * 60_000],
    ['31 days earlier', -31 * day],
    ['72 years later', 72 * 365 * day],
  ])('a creation that is %s than its report is not believed, and kept as the time of the engine', (_when, off) => {
    const created = `${occurredAt + off}000`
    const fields = { 'Caller-Channel-Created-Time': created, variable_start_uepoch: created }

    expect(cdrOf(fields)).toMatchObject({
      created_time: occurredAt,
      variables: { engine_time: new Date(occurredAt + off).toISOString() },
    })
  })

  test.each([-29 * day, -3 * 3_600_000, 4 * 60_000])('a creation %i ms from its report is believed', (off) => {
    const cdr = cdrOf({ 'Caller-Channel-Created-Time': `${occurredAt + off}000` })

    expect(cdr.created_time).toBe(occurredAt + off)
    expect(cdr.variables).not.toHaveProperty('engine_time')
  })

  test('the end of a call without a usable time has no CDR', () => {
    expect(cdrFromEvent({ ...anEnd({ 'Caller-Channel-Created-Time': '0' }), occurredAt: 0 })).toBeUndefined()
  })

  test('the domain of a presence id is in lower case, and its login as the engine wrote it', () => {
    const presence = { 'Call-Direction': 'outbound', 'Channel-Presence-ID': 'Alice@Tenant1.Example.com' }

    expect(cdrOf(presence)).toMatchObject({ presence_id: 'Alice@tenant1.example.com', extension: 'Alice' })
  })

  test('a text in a CDR is cut at 1024 characters, never in the middle of a surrogate pair', () => {
    const name = cdrOf({ 'Caller-Caller-ID-Name': `${'n'.repeat(1023)}😀😀` }).caller_id_name ?? ''

    expect(name).toHaveLength(1024)
    expect(name.isWellFormed()).toBe(true)
  })

  test('a synthetic end is marked as synthetic in the CDR', () => {
    expect(cdrFromEvent(anEnd({ Synthetic: 'true' }))?.source).toBe('made')
  })
})

describe('the other variables', () => {
  const shown = (names: readonly string[], value = 'v') =>
    Object.keys(cdrOf(Object.fromEntries(names.map((name) => [`variable_${name}`, value]))).variables)

  test('variables that become fields of a CDR are not listed among its variables again', () => {
    expect(shown(['presence_id', 'billsec', 'hangup_cause', 'sip_gateway_name', 'project'])).toEqual(['project'])
  })

  test.each([
    'sip_auth_username',
    'sip_auth_password',
    'sip_h_Authorization',
    'sip_h_Proxy-Authorization',
    'a1_hash',
    'a1-hash',
    'vm-password',
    'user_passwd',
    'pin_digits',
    'account_pin',
    'api_key',
    'apikey',
    'passcode',
    'db_pwd',
    'bearer',
    'client_secret',
    'access_token',
    'rtp_local_sdp_str',
    'switch_r_sdp',
    'rtp_has_crypto',
    'srtp_remote_audio_crypto_key',
    'sip_h_Cookie',
    'svc_hook',
    'w_domain',
    'domain_name',
    'user_context',
    'account_role',
    '__proto__',
  ])('a CDR does not show the variable %s', (name) => {
    expect(shown([name])).toEqual([])
  })

  test.each([
    'project',
    'sip_h_X-Ticket',
    'last_app',
    'spinner',
    'keyboard',
    'opinion',
    'x_author',
    'x_authority',
    'x_coauthor',
    'x_secretary',
    'x_secretariat',
    'x_hashtag',
  ])('the variable %s is shown in the CDR', (name) => {
    expect(shown([name])).toEqual([name])
  })

  test.each(['x_authorised_by', 'x_authorization', 'sip_authorized', 'x_oauth', 'auth', 'x_author_token', 'secret_1'])(
    'a CDR does not show the variable %s, whose name may be that of a secret',
    (name) => {
      expect(shown([name])).toEqual([])
    },
  )

  test.each([
    '[origination_uuid=x,sip_auth_password=hunter2]sofia/gateway/out/1',
    'client_secret=hunter2',
    'http://user:hunter2@files.example.com/a.wav',
    'sip:1000:hunter2@192.0.2.1',
  ])('a variable with a secret is not shown, as in the data of the last application: %s', (value) => {
    expect(shown(['last_arg'], value)).toEqual([])
  })

  test.each([
    'project=1',
    'sip:1000@192.0.2.1:5060;transport=udp',
    'http://files.example.com:80/a.wav?x=a@b',
    '=',
    'author=Ann',
    'secretary=Bob, authority=tax office',
    '<sip:[2001:db8::1]:5060>;index=1,<sip:+441632960009@[2001:db8::2]>;index=2',
    '<sip:192.0.2.1:5060>;index=1,<sip:+441632960009@192.0.2.2>;index=2',
    'sip:192.0.2.1:5060,sip:1001@192.0.2.2',
    'sip:192.0.2.1:5060;lr;ftag=a@b',
    'http://[2001:db8::1]:80/a.wav <sip:a@b>',
  ])('a variable without a secret is shown: %s', (value) => {
    expect(shown(['last_arg'], value)).toEqual(['last_arg'])
  })

  test.each([
    '<sip:[2001:db8::1]:5060>, <sip:1000:hunter2@192.0.2.1>',
    'sips:1000:hun,ter2@192.0.2.1',
    'https://user:h;u?nter2@files.example.com/',
  ])('a password in an address is not shown, wherever it stands: %s', (value) => {
    expect(shown(['last_arg'], value)).toEqual([])
  })

  test('the number of variables of a CDR is limited, and those that clients set are kept first', () => {
    const own = Array.from({ length: variableLimits.count }, (_, index) => `rtp_${index}`)

    const kept = shown(['x_zebra', ...own])

    expect(kept).toHaveLength(variableLimits.count)
    expect(kept).toContain('x_zebra')
  })

  test('a long value of a variable is cut, and a variable with a long name or a space in it is left out', () => {
    const { variables } = cdrOf({
      variable_note: 'x'.repeat(5_000),
      [`variable_${'n'.repeat(variableLimits.name + 1)}`]: 'v',
      'variable_two words': 'v',
      'variable_zeile\n': 'v',
    })

    expect(variables).toEqual({ note: 'x'.repeat(variableLimits.value) })
  })

  test("the total length of a CDR's variables is limited", () => {
    const many = Object.fromEntries(
      Array.from({ length: variableLimits.count }, (_, index) => [`variable_n${index}`, 'x'.repeat(1_000)]),
    )

    const text = Object.entries(cdrOf(many).variables).flat().join('')

    expect(text.length).toBeLessThanOrEqual(variableLimits.all)
    expect(text.length).toBeGreaterThan(variableLimits.all - 2_000)
  })
})

function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
