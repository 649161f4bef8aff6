import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { aCommandMessage } from '../../support/connector/command-message.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { aRunner, dumpOf, orderTo } from '../../support/connector/runner-harness.ts'

const domain = 'a.example.com'
const mixed = '6f1C7a1e-6A1e-4b1d-9F0e-2d0a4C5b6e7f'

test.each([
  ['a UUID in capitals', randomUUID().toUpperCase()],
  ['a UUID in both cases', mixed],
  ['a SIP Call-ID', 'a84b4c76e66710@pc33.example.com'],
  ['a SIP Call-ID in capitals', 'A84B4C76E66710@PC33.example.com'],
  ['digits', '12345678'],
  ['a UUID without hyphens', randomUUID().replaceAll('-', '')],
])('orders reach a channel whose id is %s, as its engine spells it', async (_what, spelled) => {
  const { link, run, registry } = await aRunner()
  const id = registry.idOf(spelled)
  link.answer = (line) => (line === `uuid_dump ${spelled} json` ? dumpOf(spelled, domain) : '-ERR No such channel!\n')
  const { hold, hangup } = orderTo(id)
  for (const command of [hold, hangup]) {
    const message = aCommandMessage({ command })
    await run(message)
    link.finishJob(message.id, '+OK\n')
    await settle()
  }

  expect(link.jobs.map(({ line }) => line)).toEqual([`uuid_hold ${spelled}`, `uuid_kill ${spelled} NORMAL_CLEARING`])
})

test('a UUID is one channel in either case, and another id is compared exactly', async () => {
  const { registry } = await aRunner()

  expect(registry.idOf(mixed)).toBe(mixed.toLowerCase())
  expect(registry.idOf('Call@Host')).toBe('Call@Host')
  expect([registry.spellingOf(mixed.toLowerCase()), registry.spellingOf('call@host')]).toEqual([mixed, 'call@host'])
})
