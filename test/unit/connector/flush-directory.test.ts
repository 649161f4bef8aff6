import { expect, test } from 'vitest'
import type { EslState } from '@callplane/esl'
import { flushDirectory } from '../../../connector/recovery/align-engine.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { fakeLinks } from '../../support/engine/fake-esl-session.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

/** A command link that fails so often before it does what it is asked. */
function setUp(failures: number) {
  const time = manualTime(0)
  const lines: string[] = []
  const link = {
    state: { kind: 'ready' } as EslState,
    api: async (line: string) => {
      lines.push(line)
      if (lines.length <= failures) throw new Error('no answer')
      return '+OK cleared 0 entries\n'
    },
  }
  return { time, lines, link, log: capturedLog() }
}

test('an engine drops its cached directory records once its command link is up', async () => {
  const { time, lines, link, log } = setUp(0)

  await flushDirectory({ link, timers: time.timers, random: () => 0, log })

  expect(lines).toEqual(['xml_flush_cache'])
})

test('a flush of the directory that gets no answer is retried, and logged once', async () => {
  const { time, lines, link, log } = setUp(2)

  const done = flushDirectory({ link, timers: time.timers, random: () => 0, log })
  await settle()
  await time.advance(10_000)
  await done

  expect(lines).toHaveLength(3)
  expect(log.lines).toHaveLength(1)
})

test('a flush of the directory ends with its link, and the next link starts a new one', async () => {
  const { time, lines, link, log } = setUp(9)

  const done = flushDirectory({ link, timers: time.timers, random: () => 0, log })
  await settle()
  link.state = { kind: 'connecting' }
  await time.advance(10_000)
  await done

  expect(lines).toHaveLength(1)
})

test.each([
  ['a changed account', { kind: 'flush-account', login: '1000' }, 'xml_flush_cache id 1000 a.example.com'],
  ['a created domain', { kind: 'flush-directory' }, 'xml_flush_cache'],
] as const)(
  'the flush for %s is repeated once lookups that were under way have ended, since they may bring an old answer',
  async (_what, command, line) => {
    const links = fakeLinks()
    const address = { host: '192.0.2.1', port: 8021, password: 'ClueCon' }
    const running = await aRunningConnector([address], { openLink: links.open })
    const link = links.link('commands')
    link.up()
    const repeated = () => link.asked.filter((asked) => asked === line).length
    await running.post(command)
    await running.until(() => link.jobs.some((job) => job.line === line))
    const before = repeated()

    await running.time.advance(5_000)

    expect(repeated()).toBe(before + 1)
    await running.stop()
  },
)
