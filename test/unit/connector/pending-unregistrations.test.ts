import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { pendingUnregistrations } from '../../../connector/commands/pending-unregistrations.ts'
import { EslCommandTimeout } from '@callplane/esl'
import type { CommandScope } from '../../../core/commands/commands.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { fakeEslSession, fakeLinks } from '../../support/engine/fake-esl-session.ts'
import { aCommandMessage } from '../../support/connector/command-message.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aReport, anAccount } from '../../support/records/records.ts'
import { aRunningConnector, tenant } from '../../support/connector/running-connector.ts'

const name = '192.0.2.1:8021'
const list = ' Name\t   Type\tData\tState\n internal\tprofile\tsip:a\tRUNNING (0)\n'
const dropLine = (login: string) => `sofia profile internal flush_inbound_reg ${login}@a.example.com`

/** An engine that runs one SIP profile and has no call. */
function aProfile(command: string): string {
  if (command === 'show channels as json') return '{"row_count":0}\n'
  return command === 'sofia status' ? list : '+OK\n'
}

const call = '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'
const hangUpLine = `uuid_kill ${call} MANAGER_REQUEST`

function aLedger(isObserving = false) {
  const time = manualTime()
  const commands = fakeEslSession()
  commands.answer = aProfile
  const engine = { name, commands }
  const { commands: store, accounts, domains } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const channels = {
    // Another engine is away, which is no reason to leave the calls of this one.
    uuids: async ({ presenceId }: CommandScope) => ({
      byEngine: new Map([[name, presenceId === '1000@a.example.com' ? [call] : []]]),
      missed: ['192.0.2.2:8021'],
    }),
  }
  const calls = { store, accounts, channels }
  const deps = { ...time, ...calls, random: () => 0, log: capturedLog(), isObserving, engines: [{ engine }] }
  const owed = pendingUnregistrations(deps)
  const dropOf = (login: string) => aCommandMessage({ command: { kind: 'drop-registrations', login }, scope: tenant })
  return { time, commands, owed, engine, store, accounts, domains, dropOf }
}

/** A connector whose engine is away, and the command link that a test brings up. */
async function aConnectorWithoutLink(given: { readonly ports?: MemoryPorts; readonly time?: ManualTime } = {}) {
  const links = fakeLinks()
  const running = await aRunningConnector([{ host: '192.0.2.1', port: 8021, password: 'ClueCon' }], {
    ...given,
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

test("a drop of a deleted domain's phones is not made up for by a late link, since the name may have a new owner by then", async () => {
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

test('the registrations of an account that is deleted while no engine link is up are dropped by the next connector', async () => {
  const { running } = await aConnectorWithoutLink()
  await running.run({ kind: 'drop-registrations', login: '1000' })
  await running.stop()

  const { running: next, commands } = await aConnectorWithoutLink(running)
  commands.up()
  await next.until(() => commands.asked.includes(dropLine('1000')))

  await next.until(async () => (await next.ports.commands.listUnregistrations(name)).length === 0)
  await next.stop()
})

test('the registrations of an account are dropped although no connector took the command before its deadline', async () => {
  const { running, commands } = await aConnectorWithoutLink()
  commands.up()
  const late = await running.post({ kind: 'drop-registrations', login: '1000' }, tenant, 0)
  await running.until(() => commands.asked.includes(dropLine('1000')))

  expect(await running.outcome(late)).toEqual({ state: 'unsent', reason: 'expired' })
  await running.stop()
})

test('the registrations of an account are dropped although the connector that claimed the command was killed', async () => {
  const { running, commands } = await aConnectorWithoutLink()
  commands.up()
  await running.ports.connectorStatus.report(aReport({ connectorId: 'killed', reportedAt: running.time.clock.now() }))
  await running.ports.commands.addUnregistrations([
    { engine: name, domain: 'a.example.com', login: '1000', deletedAt: 0, command: 'c0' },
  ])
  await running.until(() => commands.asked.includes(dropLine('1000')))

  await running.stop()
})

test('an engine that does not list its SIP profiles yet drops registrations when it does', async () => {
  const { running, commands } = await aConnectorWithoutLink()
  commands.answer = (command) => (command === 'sofia status' ? '-ERR sofia Command not found!\n' : '+OK\n')
  commands.up()
  expect(await running.run({ kind: 'drop-registrations', login: '1000' })).toMatchObject({ state: 'refused' })

  commands.answer = aProfile
  await running.until(() => commands.asked.includes(dropLine('1000')))
  await running.time.advance(60_000)

  expect(commands.asked.filter((line) => line === dropLine('1000'))).toHaveLength(1)
  await running.stop()
})

test('a drop that its engine has confirmed is not sent again', async () => {
  const { running, commands } = await aConnectorWithoutLink()
  commands.up()
  expect(await running.run({ kind: 'drop-registrations', login: '1000' })).toMatchObject({ state: 'done' })
  commands.down()
  commands.up()
  await running.time.advance(60_000)

  expect(commands.asked.filter((line) => line === dropLine('1000'))).toHaveLength(1)
  await running.stop()
})

test('a drop that an engine does not answer is retried until the link is lost, and continued on the next link', async () => {
  const { time, commands, owed, engine, store, dropOf } = aLedger()
  let asked = 0
  commands.answer = () => {
    asked += 1
    throw new EslCommandTimeout('no answer')
  }
  await owed.owe(dropOf('1000'))
  commands.up()
  const first = owed.settle(engine)
  await time.advance(2_000)
  expect(asked).toBe(4)
  commands.down()
  await time.advance(5_000)
  await first
  expect(asked).toBe(4)

  commands.answer = aProfile
  commands.up()
  await owed.settle(engine)

  expect(commands.asked).toContain(dropLine('1000'))
  expect(await store.listUnregistrations(name)).toEqual([])
})

test('an engine that comes back ends the calls of the deleted account whose drop it owes, and no others', async () => {
  const { commands, owed, engine, store, dropOf } = aLedger()
  for (const login of ['1000', '1001']) await owed.owe(dropOf(login))

  commands.up()
  await owed.settle(engine)

  expect(commands.asked.filter((line) => line.startsWith('uuid_kill'))).toEqual([hangUpLine])
  expect(commands.asked.indexOf(hangUpLine)).toBeGreaterThan(commands.asked.indexOf(dropLine('1000')))
  expect(await store.listUnregistrations(name)).toEqual([])
})

test('an account that was made again keeps its calls and its messages, and only older messages are removed', async () => {
  const { time, commands, owed, engine, store, accounts, domains, dropOf } = aLedger()
  await domains.create(aDomain({ name: 'a.example.com' }))
  await owed.owe(dropOf('1000'))
  await time.advance(60_000)
  await accounts.create(anAccount({ login: '1000', domain: 'a.example.com', createdAt: time.clock.now() }), 10)
  const madeAt = time.clock.now() / 1_000
  const line = (created: number, uuid: string, caller: string) =>
    `${created}:0:1000:a.example.com:inbox:/vm/a.example.com/1000/msg_${uuid}.wav:${uuid}:${caller}:1001:3`
  const [before, after, forged] = [randomUUID(), randomUUID(), randomUUID()]
  const messages = [
    line(madeAt - 1, before, 'Al\nBo:\r\u0007'),
    line(madeAt, after, 'Bo'),
    line(madeAt - 1, `${forged} x`, 'Cy'),
  ]
  commands.answer = (command) => (command.startsWith('vm_list') ? messages.join('\n') : aProfile(command))

  commands.up()
  await owed.settle(engine)

  expect(commands.asked.filter((asked) => /^(?:vm_|uuid_kill)/.test(asked))).toEqual([
    'vm_list 1000@a.example.com',
    `vm_fsdb_msg_delete default a.example.com 1000 ${before}`,
    'vm_fsdb_msg_purge default a.example.com 1000',
  ])
  expect(await store.listUnregistrations(name)).toEqual([])
})

test('the mailbox of a deleted account is emptied after its calls have ended, and its record of before does not count as made again', async () => {
  const { time, commands, owed, engine, accounts, domains, dropOf } = aLedger()
  await domains.create(aDomain({ name: 'a.example.com' }))
  await accounts.create(anAccount({ login: '1000', domain: 'a.example.com', createdAt: time.clock.now() - 1 }), 10)
  await owed.owe(dropOf('1000'))

  commands.up()
  await owed.settle(engine)

  expect(commands.asked.slice(-2)).toEqual([hangUpLine, 'vm_delete 1000@a.example.com'])
})

test('a call of a deleted account that an engine could not end stays owed', async () => {
  const { time, commands, owed, engine, store, dropOf } = aLedger()
  await owed.owe(dropOf('1000'))
  commands.answer = (command) => {
    if (command === hangUpLine) throw new EslCommandTimeout('no answer')
    return aProfile(command)
  }
  commands.up()
  const first = owed.settle(engine)
  await time.advance(1_000)
  commands.down()
  await time.advance(5_000)
  await first

  expect(await store.listUnregistrations(name)).toMatchObject([{ login: '1000' }])
})

test('an engine that comes back is sent every drop that it owes, one at a time', async () => {
  const { commands, owed, engine, dropOf } = aLedger()
  const logins = Array.from({ length: 50 }, (_, index) => `${1_000 + index}`)
  for (const login of [...logins, ...logins]) await owed.owe(dropOf(login))

  commands.up()
  await Promise.all([owed.settle(engine), owed.settle(engine)])

  expect(commands.asked.filter((line) => line.startsWith('sofia profile'))).toEqual(
    logins.flatMap((login) => [dropLine(login), dropLine(`${login}=a.example.com`)]),
  )
})

test('a drop that another connector has claimed is not recorded again, since it may be done already', async () => {
  const { owed, store, dropOf } = aLedger()
  const message = dropOf('1000')
  await store.create(message)
  await store.claim(message.id, 'other')

  await owed.owe(message)

  expect(await store.listUnregistrations(name)).toEqual([])
})

test('a drop that cannot become a command is not recorded', async () => {
  const { owed, store, dropOf } = aLedger()

  await owed.owe(dropOf('1000 all'))

  expect(await store.listUnregistrations(name)).toEqual([])
})

test('an engine that is only observed owes no drops, and gets none that it owed before', async () => {
  const { commands, owed, engine, store, dropOf } = aLedger(true)
  const before = { engine: name, domain: 'a.example.com', login: '1000', deletedAt: 0, command: 'c0' }
  await store.addUnregistrations([before])
  commands.up()

  await owed.owe(dropOf('1001'))
  await owed.settle(engine)

  expect(await store.listUnregistrations(name)).toEqual([before])
  expect(commands.asked).toEqual([])
})
