import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { checkRegistrations } from '../../../connector/recovery/registration-check.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { framesOf, recordedBytes } from '../../support/engine/engine-recordings.ts'
import { aPresenceTracker } from '../../support/connector/presence-tracker.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

/** The first list of registrations of a recording in which somebody is registered. */
function recordedList(): string {
  const texts = framesOf(recordedBytes('api/registrations')).map(({ body }) => body.toString('utf8'))
  const list = texts.find((text) => text.startsWith('{"row_count":5') && text.includes('reg_user'))
  if (list === undefined) throw new Error('the recording has no list of registrations')
  return list
}

test('each phone in a recorded list of registrations is matched by the contact in its events, even among phones of one user', async () => {
  const time = manualTime(Date.UTC(2026, 10, 20, 23, 27))
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const found: string[] = []

  void checkRegistrations(
    {
      ...time,
      presence: aPresenceTracker(ports, time.clock),
      domains: { exists: (name) => name.endsWith('.example.com') },
      links: () => [{ api: async () => recordedList() }],
      found: (domain, { login, contact }) => void found.push(`${login} ${domain} ${contact}`),
      log: capturedLog(),
    },
    new AbortController().signal,
  )
  await time.advance(5_000)

  expect(found).toHaveLength(5)
  expect(found).toContain('1001 tenant1.example.com sip:1001@127.0.0.1:40421')
  expect(found).toContainEqual(expect.stringMatching(/^1000 tenant2\.example\.com sip:1000@127\.0\.0\.1:\d+$/))
})

test('phones that registered under full names belong to their accounts, except if another domain was in the To header', async () => {
  const time = manualTime(Date.UTC(2026, 10, 20, 23, 27))
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const found: string[] = []
  const rows = ['1000=a.example.com', '1001=b.example.com', '1002'].map((reg_user, at) => ({
    reg_user,
    realm: 'a.example.com',
    url: `sofia/phones/sip:phone@192.0.2.${at};fs_nat=yes`,
    expires: `${time.clock.now() / 1_000 + 600}`,
  }))

  void checkRegistrations(
    {
      ...time,
      presence: aPresenceTracker(ports, time.clock),
      domains: { exists: (name) => name.endsWith('.example.com') },
      links: () => [{ api: async () => JSON.stringify({ row_count: rows.length, rows }) }],
      found: (domain, { login }) => void found.push(`${login}@${domain}`),
      log: capturedLog(),
    },
    new AbortController().signal,
  )
  await time.advance(5_000)

  expect(found.toSorted()).toEqual(['1000@a.example.com', '1002@a.example.com'])
})

const tenant = 'tenant1.example.com'

const recordedTexts = (name: string) => framesOf(recordedBytes(name)).map(({ body }) => body.toString())

describe('a list of registrations', () => {
  const full = (recording: string) => recordedTexts(recording).find((text) => text.startsWith('{"row_count":5')) ?? ''

  /** Returns the accounts that consecutive reads of these texts find. */
  async function foundBy(
    answers: readonly string[],
    known: readonly (readonly [login: string, contact: string])[] = [],
  ) {
    const time = manualTime(Date.UTC(2026, 10, 20, 23, 27))
    const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
    const presence = aPresenceTracker(ports, time.clock)
    for (const [login, contact] of known) {
      await presence.load(tenant)
      presence.registered(tenant, { login, contact, lastsSeconds: 600 }, time.clock.now())
    }
    const found: string[] = []
    let count = 0
    void checkRegistrations(
      {
        ...time,
        presence,
        domains: { exists: (name) => name.endsWith('.example.com') },
        links: () => [{ api: async () => answers[Math.min(count++, answers.length - 1)] ?? '' }],
        found: (domain, { login, contact, lastsSeconds }) =>
          void found.push(`${login}@${domain} ${lastsSeconds > 0 ? 'at' : 'without'} ${contact}`),
        log: capturedLog(),
      },
      new AbortController().signal,
    )
    await time.advance(5_000)
    return found.toSorted()
  }

  test('an outdated list of registrations in which a new phone is missing does not end its registration', async () => {
    const counts = recordedTexts('api/registrations-lag').filter((text) => text.includes(' total.'))
    expect([counts[0], counts.at(-1)]).toEqual(['\n0 total.\n', '\n1 total.\n'])
    const empty = recordedTexts('api/idle').find((text) => text === '{"row_count": 0}\n') ?? ''
    const list = full('api/registrations')
    const before = await foundBy([list], [['1001', 'sip:1001@127.0.0.1:40421']])

    expect(await foundBy([empty, list], [['1001', 'sip:1001@127.0.0.1:40421']])).toEqual([])
    expect(before).toHaveLength(4)
  })

  test('a list of registrations with one row for two phones of a user ends neither registration', async () => {
    const list = full('api/registrations')
    expect(list.match(/"reg_user":"1000","realm":"tenant1\.example\.com"/g)).toHaveLength(1)

    const found = await foundBy(
      [list],
      [
        ['1000', 'sip:1000@192.0.2.7:5060'],
        ['1000', 'sip:1000@192.0.2.8:5060'],
      ],
    )

    expect(found.filter((line) => line.startsWith(`1000@${tenant}`))).toEqual([])
    expect(found).toHaveLength(4)
  })

  test('a profile whose registration list mixes the phones of two tenants still gives each tenant its own phones', async () => {
    const mixed = recordedTexts('api/registrations-presence-hosts-leak')
    const found = await foundBy([full('api/registrations-presence-hosts-leak')])
    const of = (domain: string) => found.filter((line) => line.startsWith(`1000@${domain}`))

    expect(mixed.some((text) => text.split(',').filter((part) => part.includes('sip:1000@')).length === 3)).toBe(true)
    expect([of(tenant).length, of('tenant2.example.com').length]).toEqual([1, 1])
    expect(of(tenant)[0]?.split(' ')[2]).not.toBe(of('tenant2.example.com')[0]?.split(' ')[2])
  })
})
