import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aCallSetup, aChannel } from '../../support/call-setup.ts'

/** Values that try to break out of an engine command, by what they try. */
const samples = Object.values(
  JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/call-control.json', import.meta.url), 'utf8')) as Record<
    string,
    string[]
  >,
).flat()

type Setup = Awaited<ReturnType<typeof aCallSetup>>

/** Each field that ends in an engine command, and how a value is put into it. */
const fields: [string, (setup: Setup, value: string) => Promise<unknown>][] = [
  ['calledId', ({ originate }, value) => originate({ calledId: value })],
  ['auto_answer_param', ({ originate }, value) => originate({ calledId: '9196', auto_answer_param: value })],
  ['channel_id', ({ hold }, value) => hold(value, 'hold')],
  ['channel_id', ({ hangUp }, value) => hangUp(value)],
  ['channel_id', ({ eavesdrop }, value) => eavesdrop(value)],
  ['state', ({ hold }, value) => hold(aChannel, value)],
  ['user', ({ eavesdrop }, value) => eavesdrop(aChannel, { user: value })],
  ['display', ({ eavesdrop }, value) => eavesdrop(aChannel, { display: value })],
  ['mode', ({ eavesdrop }, value) => eavesdrop(aChannel, { mode: value })],
  ['side', ({ eavesdrop }, value) => eavesdrop(aChannel, {}, { side: value })],
  ['cause', ({ hangUp }, value) => hangUp(aChannel, value)],
]

/** What a field takes although it is a sample of the class: an ordinary login or name, which meets no account. */
const wellFormed: Record<string, RegExp> = {
  user: /^[A-Za-z0-9._+-]{1,64}$/,
  calledId: /^[A-Za-z][A-Za-z0-9._-]{0,63}$/,
}

describe.each(fields)('%s', (field, send) => {
  it.each(samples.filter((value) => !wellFormed[field]?.test(value)))(
    '%j is refused by name and no command is recorded',
    async (value) => {
      const setup = await aCallSetup()

      await expect(send(setup, value)).rejects.toMatchObject({ code: 'invalid_field', details: [{ field }] })

      expect(setup.commands()).toEqual([])
    },
  )
})

describe('callerId', () => {
  it.each(samples)('%j meets no account and no command is recorded', async (value) => {
    const setup = await aCallSetup()

    const refused = setup.originate({ calledId: '9196', callerId: value })

    // What has the form of a login or of a login in a domain is looked up (404), or is another domain's (403).
    const isNamed = /^[A-Za-z0-9._+-]{1,64}(@[A-Za-z0-9.-]{1,253})?$/.test(value)
    const code = isNamed ? (value.includes('@') ? 'permission_denied' : 'not_found') : 'invalid_field'
    await expect(refused).rejects.toMatchObject({ code })
    expect(setup.commands()).toEqual([])
  })
})

describe('text made of what the engine gives a meaning to', () => {
  const special = [
    '\n',
    '\r',
    '\0',
    ' ',
    ',',
    '{',
    '}',
    '[',
    ']',
    '|',
    ':',
    ';',
    '&',
    '$',
    '${',
    "'",
    '"',
    '\\',
    '^^',
    '@',
    '/',
    '\u2028',
    '\u202e',
    '１',
  ]
  const hostile = fc
    .tuple(
      fc.constantFrom('', '15551234', '1000', aChannel, 'sip_auto_answer=true', 'hold', '+'),
      fc.constantFrom(...special),
      fc.string({ unit: fc.constantFrom(...special, '1', 'a', '=') }),
    )
    .map((parts) => parts.join(''))

  /** Characters of an auto-answer value that mean something elsewhere and nothing there. */
  const harmless = /^sip_auto_answer=[^{}[\],'"\\$\0\n\r]*$/

  it('is refused in every field, and no command is recorded', async () => {
    const setup = await aCallSetup()
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(...fields), async (value, [field, send]) => {
        fc.pre(!(field === 'auto_answer_param' && harmless.test(value)))

        await expect(send(setup, value)).rejects.toMatchObject({ code: 'invalid_field', details: [{ field }] })

        expect(setup.commands()).toEqual([])
      }),
      { seed: 20_250_109, numRuns: 1000 },
    )
  })

  it('is refused as the value of a variable, but for spaces and what stands between quotes', async () => {
    const setup = await aCallSetup()
    const broken = hostile.filter((value) => /[\0\n\r{}[\]'\\,]/.test(value))
    await fc.assert(
      fc.asyncProperty(broken, async (value) => {
        const refused = setup.originate({ calledId: '9196', variables: { mine: value } })

        await expect(refused).rejects.toMatchObject({ code: 'invalid_field', details: [{ field: 'variables.mine' }] })
        expect(setup.commands()).toEqual([])
      }),
      { seed: 20_250_110, numRuns: 300 },
    )
  })
})
