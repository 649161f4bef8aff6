import { describe, expect, it } from 'vitest'
import {
  eventNamesParty,
  fileNamesParty,
  namesParty,
  partyOfAccount,
  partyOfNumber,
} from '../../../core/erasures/party.ts'

const domain = 'acme.com'
const uk = { 'country-code': '44' }
const accountOf = (login: string, numbers: string[] = []) => partyOfAccount({ domain, login }, { login, numbers }, uk)

describe('a text', () => {
  it.each([
    ['1000', '<sip:1000@acme.com:5060;x=1>'],
    ['1000', '"Ann" <sip:1000@ACME.com>;tag=4'],
    ['1000', 'it was 1000@acme.com.'],
    ['1000', 'ask 1000.'],
    ['john.smith', 'sip:John.Smith@acme.com'],
    ['john.smith', 'John.Smith, please'],
    ['_', 'from _ to 1001'],
  ])('names the account %s: %s', (login, text) => {
    expect(namesParty(accountOf(login))(text)).toBe(true)
  })

  it.each([
    ['1', '11@acme.com'],
    ['x', 'x@acme.com.au'],
    ['x', 'y-x@acme.com'],
    ['1000', '1000@other.com'],
    ['john.smith', 'johnsmith'],
    ['johnsmith', 'john.smith'],
    ['sip', 'sip:1001@acme.com;user=phone'],
    ['phone', '<sip:1001@acme.com;user=phone>'],
    ['10001', '10.0.0.1'],
    ['1000', '1-000'],
    ['1000', ''],
    ['1000', ' . - '],
  ])('does not name the account %s: %s', (login, text) => {
    expect(namesParty(accountOf(login))(text)).toBe(false)
  })

  it.each(['.', '-', '.-.'])('without a letter or digit, the account %j is named by no text', (login) => {
    const isNamed = namesParty(accountOf(login))

    expect(['', ' ', 'a, b', '1000@acme.com', '- . -'].filter(isNamed)).toEqual([])
  })

  it.each(['020-7183-8750', '+44.20.7183.8750', '00442071838750', 'sip:442071838750@carrier.example:5060'])(
    'names a number as %s, also as one of an account',
    (text) => {
      expect(namesParty(partyOfNumber('+442071838750', uk))(text)).toBe(true)
      expect(namesParty(accountOf('1000', ['02071838750']))(text)).toBe(true)
    },
  )

  it.each(['442071838751', '4420718387501@carrier.example', '2071838750'])('does not name a number as %s', (text) => {
    expect(namesParty(partyOfNumber('+442071838750', uk))(text)).toBe(false)
  })
})

describe('the name of a file', () => {
  it.each([
    ['+442071838750', '2026-01-05_442071838750.wav'],
    ['+442071838750', '020-7183-8750.wav'],
    ['+442071838750', '20260105-103000-02071838750-1000.wav'],
    ['1000', '1000_x.wav'],
    ['1000', 'x-1000.wav'],
    ['1000', '2026-01-05_10-30-00_1000.mp3'],
  ])('names the number %s: %s', (number, name) => {
    expect(fileNamesParty(partyOfNumber(number, uk))(name)).toBe(true)
  })

  it.each([
    ['2026', '2026-01-05_442071838750.wav'],
    ['05', '2026-01-05_442071838750.wav'],
    ['1000', '2026-01-05_442071838750.wav'],
    ['1000', '11000_x.wav'],
    ['4000', '6f1c7a1e-6a1e-4000-9f0e-2d0a4c5b6e7f.wav'],
    ['1', 'recording_1.wav'],
    ['wav', 'x_1.wav'],
    ['recording', 'recording_1.wav'],
  ])('does not name the number or word %s: %s', (number, name) => {
    expect(fileNamesParty(partyOfNumber(number, uk))(name)).toBe(false)
  })
})

describe('the fields of an event', () => {
  const call = {
    'Channel-Name': 'sofia/internal/1000@acme.com',
    'Caller-Channel-Name': 'sofia/internal/1000@acme.com',
    'Caller-Dialplan': 'XML',
    'Caller-Source': 'mod_sofia',
    'Caller-Logical-Direction': 'inbound',
    'Caller-Context': 'default',
    'Caller-Network-Addr': '192.0.2.10',
    'Caller-Caller-ID-Number': '1000',
    variable_sip_contact_params: 'transport=tcp',
    variable_sip_user_agent: 'Yealink',
  }

  it.each(['xml', 'sofia', 'mod_sofia', 'internal', 'inbound', 'default', 'tcp', 'yealink', '19202'])(
    'do not name the account %s by what an engine says of every call',
    (login) => {
      expect(eventNamesParty(accountOf(login))(call)).toBe(false)
    },
  )

  it('name an account by the address in the name of a channel alone', () => {
    expect(eventNamesParty(accountOf('1000'))({ 'Channel-Name': 'sofia/internal/1000@acme.com' })).toBe(true)
    expect(eventNamesParty(accountOf('1001'))(call)).toBe(false)
  })
})
