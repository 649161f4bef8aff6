import { expect, it } from 'vitest'
import { keptAnswers, keptSeconds, mostNames } from '../../../adapters/http/kept-answers.ts'

/**
 * A lookup whose queries are counted; names that begin with `none` have no address, and no name has all while name
 * servers are away.
 */
function aLookup() {
  const asked: string[] = []
  let nowMs = 0
  const servers = { areAway: false }
  const addressesOf = keptAnswers(
    async (host) => {
      asked.push(host)
      if (servers.areAway) return { addresses: ['2001:db8::1'], isWhole: false }
      return { addresses: host.startsWith('none') ? [] : ['192.0.2.1'], isWhole: true }
    },
    () => nowMs,
  )
  return { asked, servers, addressesOf, passSeconds: (seconds: number) => void (nowMs += 1000 * seconds) }
}

it.each([
  ['the addresses of a name', 'sip.example.net', keptSeconds.addresses, ['192.0.2.1']],
  ['the lack of an address', 'none.example.net', keptSeconds.none, []],
])(
  'the lookup asks once for %s, and again when the answer has been kept for its time',
  async (_what, name, seconds, answer) => {
    const { asked, addressesOf, passSeconds } = aLookup()

    const early = await Promise.all([addressesOf(name), addressesOf(name.toUpperCase())])
    passSeconds(seconds - 0.001)
    expect([...early, await addressesOf(name)]).toEqual([answer, answer, answer])
    expect(asked).toEqual([name])

    passSeconds(0.001)
    expect(await addressesOf(name)).toEqual(answer)
    expect(asked).toEqual([name, name])
  },
)

it('the addresses of a limited number of names are cached, and a further name evicts the oldest', async () => {
  const { asked, addressesOf } = aLookup()
  const names = Array.from({ length: mostNames }, (_, at) => `n${at}.example.net`)
  for (const name of names) await addressesOf(name)

  for (const name of names) await addressesOf(name)
  expect(asked).toHaveLength(mostNames)

  await addressesOf('one-more.example.net')
  await addressesOf('n1.example.net')
  expect(asked).toHaveLength(mostNames + 1)
  await addressesOf('n0.example.net')
  expect(asked).toHaveLength(mostNames + 2)
})

it('incomplete addresses of a name are cached for a second, together with those known before', async () => {
  const { asked, servers, addressesOf, passSeconds } = aLookup()
  await addressesOf('sip.example.net')
  passSeconds(keptSeconds.addresses)
  servers.areAway = true

  const away = await addressesOf('sip.example.net')
  passSeconds(keptSeconds.partial - 0.001)
  await addressesOf('sip.example.net')
  expect([away, asked.length]).toEqual([['192.0.2.1', '2001:db8::1'], 2])

  passSeconds(0.001)
  servers.areAway = false
  expect([await addressesOf('sip.example.net'), asked.length]).toEqual([['192.0.2.1'], 3])
})
