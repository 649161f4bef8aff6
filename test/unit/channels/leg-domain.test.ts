import { describe, expect, test } from 'vitest'
import { eventDomainCandidates, legDomainCandidates } from '../../../core/channels/leg.ts'

const otherLeg = '6d133f9d-3e8c-4d63-9334-698c08369f54'
const outbound = { 'Call-Direction': 'outbound' }
const reading = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name]
const legs = (uuid: string) => (uuid === otherLeg ? 'other.example.com' : undefined)

describe('the domain of a call leg', () => {
  test.each([
    ['the domain variable', { variable_domain_name: 'a.example.com' }],
    ['the older domain variable', { variable_w_domain: 'a.example.com' }],
    ['the presence id of an event', { ...outbound, 'Channel-Presence-ID': '1000@a.example.com' }],
    ['the presence id of a list', { direction: 'outbound', presence_id: '1000@a.example.com' }],
    ['the presence id variable', { ...outbound, variable_presence_id: '1000@a.example.com' }],
    ['the context of an event', { 'Caller-Context': 'a.example.com' }],
    ['the context of a list', { context: 'a.example.com' }],
    ['the context of the user', { variable_user_context: 'a.example.com' }],
    ['the gateway that a leg is called through', { ...outbound, variable_sip_gateway_name: 'a.example.com_trunk_2' }],
    ['a name in capital letters', { 'Caller-Context': 'A.Example.COM' }],
  ])('the domain of a call leg can come from %s', (_source, fields) => {
    expect([...legDomainCandidates(reading(fields), legs)]).toEqual(['a.example.com'])
  })

  test('a name of 253 characters, the longest of a domain, may be the domain of a call leg, and a longer one may not', () => {
    const longest = `${'a'.repeat(249)}.com`

    expect([...legDomainCandidates(reading({ 'Caller-Context': longest }), legs)]).toEqual([longest])
    expect([...legDomainCandidates(reading({ 'Caller-Context': `a${longest}` }), legs)]).toEqual([])
  })

  test.each(['Other-Leg-Unique-ID', 'variable_originating_leg_uuid', 'variable_other_loopback_leg_uuid'])(
    'the domain of a call leg can be that of the leg in %s',
    (field) => {
      expect([...legDomainCandidates(reading({ [field]: otherLeg }), legs)]).toEqual(['other.example.com'])
    },
  )

  test('another leg is found by its id as its engine spells it, and only a UUID in either case', () => {
    const asked: string[] = []
    const legsOf = (uuid: string) => void asked.push(uuid)

    for (const id of ['Call-A@x', otherLeg.toUpperCase()]) {
      expect([...legDomainCandidates(reading({ 'Other-Leg-Unique-ID': id }), legsOf)]).toEqual([])
    }

    expect(asked).toEqual(['Call-A@x', otherLeg])
  })

  test('the names that may be the domain of a call leg are tried in the order of the contract', () => {
    const fields = {
      ...outbound,
      'Other-Leg-Unique-ID': otherLeg,
      variable_user_context: 'six.example.com',
      'Caller-Context': 'five.example.com',
      variable_presence_id: '1000@four.example.com',
      'Channel-Presence-ID': '1000@three.example.com',
      variable_sip_gateway_name: 'gateways.example.com_trunk',
      variable_w_domain: 'two.example.com',
      variable_domain_name: 'one.example.com',
    }

    expect([...legDomainCandidates(reading(fields), legs)]).toEqual([
      'one.example.com',
      'two.example.com',
      'gateways.example.com',
      'three.example.com',
      'four.example.com',
      'five.example.com',
      'six.example.com',
      'other.example.com',
    ])
  })

  test.each([
    ['a presence id without a host', { ...outbound, 'Channel-Presence-ID': '1000' }],
    ['a presence id with two hosts', { ...outbound, 'Channel-Presence-ID': '1000@a.example.com@b.example.com' }],
    ['the From header of a caller', { 'Call-Direction': 'inbound', 'Channel-Presence-ID': '1000@a.example.com' }],
    [
      'the From header of a caller, as a variable',
      { 'Call-Direction': 'inbound', variable_presence_id: '1000@a.example.com' },
    ],
    ['the From header of a caller, in a list', { direction: 'inbound', presence_id: '1000@a.example.com' }],
    [
      'the gateway that a caller names',
      { 'Call-Direction': 'inbound', variable_sip_gateway_name: 'a.example.com_trunk' },
    ],
    ['the gateway that a request names', { 'Call-Direction': 'inbound', variable_sip_gateway: 'a.example.com_trunk' }],
    ['a gateway of no domain', { ...outbound, variable_sip_gateway_name: 'operators-trunk' }],
    ['a name longer than a domain can be', { 'Caller-Context': 'a'.repeat(254) }],
    ['an empty field', { 'Caller-Context': '' }],
    ['an unknown leg', { 'Other-Leg-Unique-ID': '00000000-0000-0000-0000-000000000000' }],
    ['a field that only holds a domain in its name', { variable_sip_to_host: 'a.example.com' }],
  ])('the domain of a call leg does not come from %s', (_source, fields) => {
    expect([...legDomainCandidates(reading(fields), legs)]).toEqual([])
  })
})

test('the names that may be the domain of an event without a call are tried in the order of the contract', () => {
  const fields = {
    domain: 'seven.example.com',
    'Domain-Name': 'six.example.com',
    'Event-Domain': 'five.example.com',
    host: 'four.example.com',
    'from-host': 'three.example.com',
    domain_name: 'two.example.com',
    realm: 'one.example.com',
  }

  expect([...eventDomainCandidates(reading(fields))]).toEqual([
    'one.example.com',
    'two.example.com',
    'three.example.com',
    'four.example.com',
    'five.example.com',
    'six.example.com',
    'seven.example.com',
  ])
})

test("an event of a gateway belongs to the domain in the gateway's name, whatever else it says", () => {
  const event = { 'Event-Subclass': 'sofia::gateway_state', Gateway: 'a.example.com_trunk_2', domain: 'b.example.com' }

  expect([...eventDomainCandidates(reading(event))]).toEqual(['a.example.com'])
  expect([...eventDomainCandidates(reading({ ...event, Gateway: 'operators-trunk' }))]).toEqual([])
  expect([...eventDomainCandidates(reading({ ...event, 'Event-Subclass': 'other::event' }))]).toEqual(['b.example.com'])
})

test('no field of a leg is read before the name that it gives is asked for', () => {
  const asked: string[] = []
  const read = (name: string) => {
    asked.push(name)
    return name === 'variable_domain_name' ? 'a.example.com' : undefined
  }
  const [first] = legDomainCandidates(read, () => undefined)

  expect([first, asked]).toEqual(['a.example.com', ['variable_domain_name']])
})
