import { expect, it } from 'vitest'
import { ValueRefused } from '../../../connector/commands/command-line.ts'
import { prepareErasure } from '../../../connector/commands/erase-messages.ts'

const [own, other, forged] = [
  '11111111-2222-4333-8444-555555555555',
  '21111111-2222-4333-8444-555555555555',
  'no uuid; vm_delete',
]
const line = (uuid: string, number: string) =>
  `1795737600:0:1000:a.example.com:inbox:/vm/a.example.com/1000/msg_${uuid}.wav:${uuid}:Ann:${number}:3`

/** An engine that lists these messages and notes what it is asked. */
function anEngine(messages: readonly string[], kind: 'ready' | 'down' = 'ready', refused?: string) {
  const asked: string[] = []
  const api = async (command: string) => {
    asked.push(command)
    if (refused !== undefined && command.includes(refused)) return '-ERR Profile not found\n'
    return command.startsWith('vm_list') ? messages.join('\n') : '-OK\n'
  }
  return {
    asked,
    engine: { commands: { api, state: kind === 'ready' ? { kind } : ({ kind: 'connecting' } as const) } },
  }
}

const all = [line(own, '+442071838750'), line(other, '1001'), line(forged, '+442071838750')]

it('the messages of these callers are deleted at every engine, and the mailbox is purged', async () => {
  const [first, second] = [anEngine(all), anEngine([line(other, '1001')])]
  const erase = prepareErasure(
    { kind: 'erase-messages', login: '1000', callers: ['+442071838750', '02071838750'] },
    'a.example.com',
  )

  expect(await erase([first, second])).toEqual({ state: 'done', text: '+OK 1\n' })
  expect(first.asked).toEqual([
    'vm_list 1000@a.example.com',
    `vm_fsdb_msg_delete default a.example.com 1000 ${own}`,
    'vm_fsdb_msg_purge default a.example.com 1000',
  ])
  expect(second.asked).toEqual(['vm_list 1000@a.example.com'])
})

it('without a caller all messages are deleted', async () => {
  const erase = prepareErasure({ kind: 'erase-messages', login: '1000', callers: 'all' }, 'a.example.com')

  expect(await erase([anEngine(all)])).toEqual({ state: 'done', text: '+OK 2\n' })
})

it.each([
  [`vm_fsdb_msg_delete default a.example.com 1000 ${own}`, 1],
  ['vm_fsdb_msg_purge', 0],
])('what the engine refuses to delete or purge is not counted: %s', async (refused, count) => {
  const erase = prepareErasure({ kind: 'erase-messages', login: '1000', callers: 'all' }, 'a.example.com')

  expect(await erase([anEngine(all, 'ready', refused)])).toEqual({ state: 'done', text: `+OK ${count}\n` })
})

it('while an engine is away the order counts as unsent, so that it is repeated', async () => {
  const erase = prepareErasure({ kind: 'erase-messages', login: '1000', callers: 'all' }, 'a.example.com')

  expect(await erase([anEngine(all), anEngine([], 'down')])).toEqual({ state: 'unsent', reason: 'disconnected' })
})

it.each([
  ['1000 x', 'a.example.com'],
  ['1000', 'a.example.com 1000\n'],
  ['1000', null],
])('the mailbox %j of %j is refused', (login, domain) => {
  expect(() => prepareErasure({ kind: 'erase-messages', login, callers: 'all' }, domain)).toThrow(ValueRefused)
})
