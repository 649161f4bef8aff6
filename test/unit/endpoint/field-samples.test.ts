import { describe, expect, it } from 'vitest'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { type Taker, takers } from '../../support/platform/field-takers.ts'
import { aFieldHarness, fieldDomain } from '../../support/platform/field-harness.ts'
import { dumpOf } from '../../support/stores/memory-dump.ts'
import { anEntry } from '../../support/records/records.ts'

const samplesOf = badInputs('account-fields')
const samples = [
  'names that run something or widen rights',
  'markup',
  'expansion',
  'name=value items',
  'identifiers',
  'mail settings',
].flatMap(samplesOf)

/** Values that the contract accepts although they are among the samples: they must come back unchanged. */
const taken: ReadonlySet<string> = new Set([
  'variables: ["toll_allow=international"]',
  "password: \"'/><user id='admin'><x y='\"",
  'password: "<X-PRE-PROCESS cmd=\\"exec\\" data=\\"id\\"/>"',
  'password: "<![CDATA["',
  'password: "]]>"',
  'password: "&lt;"',
  'password: "&#0;"',
  'password: "&xxe;"',
  'password: "<!DOCTYPE x [<!ENTITY a SYSTEM \\"file:///etc/passwd\\">]>"',
  'password: "<?xml version=\\"1.0\\"?>"',
  'parameters: ["vm-enabled="]',
  'parameters: ["vm-enabled=true","vm-enabled=false"]',
  'domain_name: "localhost"',
  'domain_name: "10.0.0.1"',
  'blacklist_name: "a#b"',
  'number: "+1 555"',
])

/** Values that the samples describe. */
const described: Readonly<Record<string, unknown>> = {
  'login: <300 characters>': 'x'.repeat(300),
  'domain_name: <64-character label>': `${'x'.repeat(64)}.example.com`,
  'domain_name: <254 characters>': `${`${'x'.repeat(61)}.`.repeat(4)}example`.slice(0, 254),
  'parameters: ["a=<64 KiB>"]': [`a=${'x'.repeat(65_536)}`],
}

/** Samples about what is there already. */
const aboutState: Readonly<Record<string, () => Promise<void>>> = {
  'domain_name: "A.example.com" when a.example.com exists': async () => {
    const harness = await aFieldHarness()
    const before = dumpOf(harness.api)

    const answer = await only('domain_name').send(harness, 'A.example.com')

    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(dumpOf(harness.api)).toBe(before)
  },
  'number: "1" added twice': async () => {
    const harness = await aFieldHarness()
    expect((await only('number').send(harness, '1')).body).toEqual({ ok: 1, Modified: 1, n: 1 })
    const before = dumpOf(harness.api)

    expect((await only('number').send(harness, '1')).body).toEqual({ ok: 1, Modified: 0, n: 1 })
    expect(dumpOf(harness.api)).toBe(before)
  },
  'number: <100,000 numbers in one list>': async () => {
    const harness = await aFieldHarness()
    const { blacklists } = harness.api.ports.state
    for (let index = 1; index < 100_000; index += 1) {
      blacklists.set(String(index), anEntry({ domain: fieldDomain, number: String(index) }))
    }

    expect((await only('number').send(harness, '100000')).body).toEqual({ ok: 1, Modified: 1, n: 1 })
    expect(await only('number').send(harness, '100001')).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(blacklists.size).toBe(100_000)
  },
}

const cases = samples
  .filter((sample) => aboutState[sample] === undefined)
  .flatMap((sample) => {
    const [, field = '', text = ''] = /^([\w.]+): (.*)$/s.exec(sample) ?? []
    const value: unknown = sample in described ? described[sample] : JSON.parse(text)
    return takersOf(field).map((taker) => [sample, taker.operation, taker, value] as const)
  })

function takersOf(field: string): readonly Taker[] {
  const found = takers[field] ?? []
  if (found.length === 0) throw new Error(`no endpoint takes the field of the sample: ${field}`)
  return found
}

function only(field: string): Taker {
  const [taker] = takersOf(field)
  if (taker === undefined) throw new Error(`no endpoint takes ${field}`)
  return taker
}

describe.each(cases)('%s, sent to %s,', (sample, _, taker, value) => {
  if (taken.has(sample)) {
    it('a valid sample of the field is accepted, and comes back unchanged', async () => {
      const harness = await aFieldHarness()

      const answer = await taker.send(harness, value)

      expect(answer.status, answer.text).toBe(200)
      await taker.prove(harness, value)
    })
    return
  }
  it('an invalid sample of the field is refused by the name of the field, and nothing is written', async () => {
    const harness = await aFieldHarness()
    const before = dumpOf(harness.api)

    const answer = await taker.send(harness, value)

    expect(answer.status, answer.text).toBe(400)
    expect(
      taker.named.some((field) => answer.text.includes(`"field":"${field}`)),
      answer.text,
    ).toBe(true)
    expect(dumpOf(harness.api)).toBe(before)
  })
})

describe('of what is there already', () => {
  it.each(Object.entries(aboutState))(
    'a value that depends on stored records is checked against them: %s',
    async (sample, judge) => {
      expect(samples).toContain(sample)
      await judge()
    },
  )
})

it('every line of samples about accepted, described or existing values is still used', () => {
  expect(samples).toEqual(expect.arrayContaining([...taken, ...Object.keys(described), ...Object.keys(aboutState)]))
})
