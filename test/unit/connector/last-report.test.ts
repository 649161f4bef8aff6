import { expect, test } from 'vitest'
import { pause } from '../../../core/concurrency/timers.ts'
import { fakeLinks } from '../../support/engine/fake-esl-session.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

test('the last report of a connector states that it read nothing after it began to close its links', async () => {
  const links = fakeLinks()
  const running = await aRunningConnector([{ host: '192.0.2.1', port: 8021, password: 'ClueCon' }], {
    openLink: links.open,
  })
  const { time, ports, connector } = running
  const [commands, events] = [links.link('commands'), links.link('events')]
  commands.up()
  events.up()
  await time.advance(2_000)
  let closingAt = 0
  const close = events.close.bind(events)
  events.close = async () => {
    closingAt = time.clock.now()
    await pause(time.timers, 1_000)
    await close()
  }

  const stopping = connector.stop(20_000)
  await time.advance(30_000)
  await stopping

  const [last] = await ports.connectorStatus.list(0)
  expect(last?.stoppedAt).toBeLessThanOrEqual(closingAt)
  expect(last?.reportedAt).toBeGreaterThan(closingAt)
  expect(last?.handedOverTo).toBe(closingAt)
})
