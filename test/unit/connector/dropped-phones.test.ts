import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'

import { checkRegistrations } from '../../../connector/recovery/registration-check.ts'
import { aPresenceTracker } from '../../support/connector/presence-tracker.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const block = (user: string, contact: string, seconds: number) =>
  `Call-ID:    \tx\nUser:       \t${user}\nContact:    \t${contact}\nAgent:      \ty\n` +
  `Status:     \tRegistered(UDP)(unknown) EXP(2026-11-20 23:30:00) EXPSECS(${seconds})\nPing-Status:\tReachable\n\n`

/** The phones that a comparison finds, where the engine lists these and its profile answers this. */
async function found(expires: number, profile: string) {
  const time = manualTime(Date.UTC(2026, 10, 20, 23, 27))
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const phones: string[] = []
  const rows = ['1005', '1006'].map((user) => ({
    reg_user: user,
    realm: 'a.example.com',
    url: `sofia/internal/sip:${user}@192.0.2.1:5060`,
    expires: `${time.clock.now() / 1_000 + expires}`,
  }))
  const answers: Readonly<Record<string, string>> = {
    'show registrations as json': JSON.stringify({ row_count: 2, rows }),
    'sofia status profile internal reg': profile,
  }
  void checkRegistrations(
    {
      ...time,
      presence: aPresenceTracker(ports, time.clock),
      domains: { exists: () => true },
      links: () => [{ api: async (line) => answers[line] ?? '-ERR command not found\n' }],
      found: (_domain, { login, lastsSeconds }) => void phones.push(`${login} ${lastsSeconds}`),
      log: capturedLog(),
    },
    new AbortController().signal,
  )
  await time.advance(5_000)
  return phones
}

test('a phone that was dropped is not there though the engine still lists it', async () => {
  const one = block('1006@a.example.com', '"" <sip:1006@192.0.2.1:5060>', 599)

  expect(await found(600, `\nRegistrations:\n====\n${one}Total items returned: 1\n====\n`)).toEqual(['1006 599'])
  expect(await found(600, '\nRegistrations:\n====\nTotal items returned: 0\n====\n')).toEqual([])
})

test('a registration lasts as long as its profile says, whatever the clock of the engine shows', async () => {
  const both = ['1005', '1006'].map((user) => block(`${user}@a.example.com`, `"" <sip:${user}@192.0.2.1:5060>`, 300))

  for (const expires of [-900, 1_200]) {
    expect(await found(expires, `\nRegistrations:\n====\n${both.join('')}`)).toEqual(['1005 300', '1006 300'])
  }
})

test('the list of the engine counts where its profile cannot be asked', async () => {
  expect(await found(600, 'Invalid Profile!\n')).toHaveLength(2)
})
