import { expect, test } from 'vitest'
import { owedDrops } from '../../../connector/commands/owed-drops.ts'
import { EslCommandTimeout } from '../../../connector/esl/errors.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { fakeEslSession, fakeLinks } from '../../support/engine/fake-esl-session.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

const name = '192.0.2.1:8021'
const list = ' Name\t   Type\tData\tState\n internal\tprofile\tsip:a\tRUNNING (0)\n'
const dropLine = (login: string) => `sofia profile internal flush_inbound_reg ${login}@a.example.com`

/** An engine that runs one SIP profile. */
function aProfile(command: string): string {
  return command === 'sofia status' ? list : '+OK\n'
}

function aLedger() {
  const time = manualTime()
  const commands = fakeEslSession()
  const owed = owedDrops({ ...time, random: () => 0, log: capturedLog() })
  return { time, commands, owed, engine: { name, commands } }
}

/** A connector whose engine is away, and the command link that a test brings up. */
async function aConnectorWithoutLink() {
  const links = fakeLinks()
  const running = await aRunningConnector([{ host: '192.0.2.1', port: 8021, password: 'ClueCon' }], {
    openLink: links.open,
  })
  const commands = links.link('commands')
  commands.answer = aProfile
  await running.time.advance(3_000)
  return { running, commands }
}

test('the registrations of an account that is deleted while no engine link is up are dropped once the link is back', async () => {
  const { running, commands } = await aConnectorWithoutLink()

  const outcome = await running.run({ kind: 'drop-registrations', login: '1000' })
  expect(outcome).toEqual({ state: 'unsent', reason: 'disconnected' })
  commands.up()
  await running.until(() => commands.asked.includes(dropLine('1000')))
  commands.down()
  commands.up()
  await running.time.advance(1_000)

  expect(commands.asked.filter((line) => line === dropLine('1000'))).toHaveLength(1)
  await running.stop()
})

test('the phones of a deleted domain are not dropped by a late link, since the name may have another owner then', async () => {
  const { running, commands } = await aConnectorWithoutLink()

  const outcome = await running.run({ kind: 'drop-domain-registrations' })
  expect(outcome).toEqual({ state: 'unsent', reason: 'disconnected' })
  await running.run({ kind: 'drop-registrations', login: '1000' })
  commands.up()
  await running.until(() => commands.asked.includes(dropLine('1000')))
  await running.time.advance(1_000)

  expect(commands.asked.filter((line) => line.includes('flush_inbound_reg'))).toEqual([
    dropLine('1000'),
    dropLine('1000=a.example.com'),
  ])
  await running.stop()
})

test('a drop that an engine does not answer is tried again until the link is lost, and goes on with the next link', async () => {
  const { time, commands, owed, engine } = aLedger()
  let asked = 0
  const isAnswering = { now: false }
  owed.owe(name, 'a', async () => {
    asked += 1
    if (!isAnswering.now) throw new EslCommandTimeout('no answer')
    return { state: 'done', text: '+OK\n' }
  })
  commands.up()
  const first = owed.settle(engine)
  await time.advance(2_000)
  expect(asked).toBe(4)
  commands.down()
  await time.advance(5_000)
  await first

  isAnswering.now = true
  commands.up()
  await owed.settle(engine)
  await owed.settle(engine)

  expect(asked).toBe(5)
})

test('an engine that is away for long is owed the newest thousand drops, each once', async () => {
  const { commands, owed, engine } = aLedger()
  const done: number[] = []
  for (let number = 1; number <= 1_500; number += 1) {
    for (let twice = 0; twice < 2; twice += 1) {
      owed.owe(name, `${number}`, async () => {
        done.push(number)
        return { state: 'done', text: '+OK\n' }
      })
    }
  }

  commands.up()
  await owed.settle(engine)

  expect([done.length, done[0], done.at(-1)]).toEqual([1_000, 501, 1_500])
})
