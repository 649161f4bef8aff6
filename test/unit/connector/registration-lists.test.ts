import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../../adapters/memory/memory-ports.ts'
import { presenceTracker } from '../../../connector/events/presence.ts'
import { checkRegistrations } from '../../../connector/reconcile/registration-check.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { framesOf, recordedBytes } from '../../support/engine-recordings.ts'
import { manualTime } from '../../support/manual-time.ts'

/** The first list of registrations of a recording in which somebody is registered. */
function recordedList(): string {
  const texts = framesOf(recordedBytes('api/registrations')).map(({ body }) => body.toString('utf8'))
  const list = texts.find((text) => text.startsWith('{"row_count":5') && text.includes('reg_user'))
  if (list === undefined) throw new Error('the recording has no list of registrations')
  return list
}

test('of a recorded list each phone is found, under the contact that events give it, a same-named one apart', async () => {
  const time = manualTime(Date.UTC(2026, 10, 20, 23, 27))
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const found: string[] = []

  void checkRegistrations(
    {
      ...time,
      presence: presenceTracker(ports.presence, async () => true),
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
