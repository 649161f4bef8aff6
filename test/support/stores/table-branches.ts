/** Ways through the adapters of the tables that the exercises of each method do not take. */
import type { CloudPorts, Exercise } from './cloud-exercises.ts'
import { unseen } from './cloud-exercises.ts'
import type { CloudGate } from './cloud-gate.ts'
import { cloudAnswer } from './open-cloud.ts'
import {
  aCommandRecord,
  aHook,
  aKnownCall,
  aRole,
  aRoute,
  anAccount,
  anEntry,
  emailSettingsOf,
} from '../records/records.ts'

const domain = 'branches.test'

/** For each: the method, what is special, what has to be there first, and the call. */
export const branches: readonly {
  readonly title: string
  readonly first?: Exercise
  readonly run: Exercise
}[] = [
  {
    title: 'roles.write of a later version',
    run: ({ roles }) => roles.write({ domain, roles: [aRole()], version: 2 }),
  },
  {
    title: 'emailSettings.put of a later version',
    run: ({ emailSettings }) => emailSettings.put(emailSettingsOf({ domain, version: 2 })),
  },
  {
    title: 'emailSettings.remove of one version',
    run: ({ emailSettings }) => emailSettings.remove(domain, 1),
  },
  {
    title: 'defaultRoutes.create of the first route',
    run: ({ defaultRoutes }) => defaultRoutes.create(aRoute({ domain }), 0),
  },
  {
    title: 'publicRoutes.create of the first route',
    run: ({ publicRoutes }) => publicRoutes.create(aRoute({ domain }), 0),
  },
  {
    title: 'knownCalls.put of an end',
    run: ({ knownCalls }) => knownCalls.put(aKnownCall({ domain, state: 'ended' })),
  },
  {
    title: 'knownCalls.unplace of a call that no engine has reported',
    run: ({ knownCalls }) => knownCalls.unplace({ domain, uuid: 'some' }),
  },
  {
    title: 'recordings.leave once more',
    first: ({ recordings }) => recordings.leave({ domain, retentionDays: 1, leftAt: 1 }),
    run: ({ recordings }) => recordings.leave({ domain, retentionDays: 2, leftAt: 2 }),
  },
  {
    title: 'blacklists.add to a new list',
    run: ({ blacklists }) => blacklists.add(anEntry({ domain, list: 'new', number: '1' }), { entries: 9, lists: 9 }),
  },
  {
    title: 'blacklists.add over an entry that has ended, with a later end',
    first: ({ blacklists }) =>
      blacklists.add(anEntry({ domain, list: 'old', number: '1', expires: 1 }), { entries: 9, lists: 9 }),
    run: ({ blacklists }) =>
      blacklists.add(anEntry({ domain, list: 'old', number: '1', expires: 4e12 }), { entries: 9, lists: 9 }),
  },
  {
    title: 'rateLimits.take of a bucket that is not full',
    first: ({ rateLimits }) => rateLimits.take('branch', { intervalMs: 100, burst: 9 }, 1),
    run: ({ rateLimits }) => rateLimits.take('branch', { intervalMs: 100, burst: 9 }, 1),
  },
  {
    title: 'rateLimits.takeInWindow for the second time',
    first: ({ rateLimits }) => rateLimits.takeInWindow('branch', { limit: 9, windowMs: 9 }, 1),
    run: ({ rateLimits }) => rateLimits.takeInWindow('branch', { limit: 9, windowMs: 9 }, 1),
  },
  {
    title: 'eventLogWriter.take after numbers that were taken just before',
    first: ({ eventLogWriter }) => eventLogWriter.take(domain, 1, 1),
    run: ({ eventLogWriter }) => eventLogWriter.take(domain, 1, 1),
  },
  {
    title: 'eventLogWriter.take after a time without a hook',
    first: ({ eventLogWriter }) => eventLogWriter.take(domain, 1, 1),
    run: ({ eventLogWriter }) => eventLogWriter.take(domain, 1, 9e15),
  },
  {
    title: 'commands.read of a long outcome of which a copy of the table lacks a part',
    first: withLongOutcome,
    run: readDespiteLag,
  },
  {
    title: 'accounts.update of an account without other numbers',
    first: ({ accounts }) => accounts.create(lonely, 9),
    run: ({ accounts }) => accounts.update({ ...lonely, version: 2 }, lonely),
  },
  {
    title: 'hooks.create of a hook next to others',
    first: ({ hooks }) => hooks.create([aHook({ domain })], 9),
    run: ({ hooks }) => hooks.create([aHook({ domain })], 9),
  },
]

const lonely = anAccount({ domain, login: '2000' })

const longCommand = aCommandRecord()

async function withLongOutcome({ commands }: CloudPorts, gate: CloudGate): Promise<void> {
  const before = gate.calls.length
  await commands.create(longCommand)
  const text = Array.from({ length: 60_000 }, (_, index) =>
    String.fromCharCode(33 + ((index * 7919 + (index >> 3)) % 90)),
  )
  await commands.complete(longCommand.id, { state: 'done', text: text.join('').repeat(8) })
  for (const call of gate.calls.slice(before)) unseen.add(call)
}

/** An eventually consistent read finds nothing yet. */
async function readDespiteLag({ commands }: CloudPorts, gate: CloudGate): Promise<void> {
  gate.answer = (call, forward) =>
    call.action === 'Query' && call.input['ConsistentRead'] !== true
      ? { status: 200, body: { Items: [], Count: 0 } }
      : cloudAnswer(call, forward)
  const record = await commands.read(longCommand.id)
  gate.answer = cloudAnswer
  if (record?.outcome?.state !== 'done') throw new Error('the outcome was not read')
}
