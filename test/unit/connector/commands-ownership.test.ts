import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandScope, EngineCommand } from '../../../core/commands/commands.ts'
import { aChannelFor, commandKinds } from '../../support/platform/api-commands.ts'
import { anEavesdrop, anOriginate } from '../../support/connector/command-message.ts'
import { type CommandPath, aCommandPath } from '../../support/connector/command-path.ts'
import { checkInvariants } from '../../support/invariants/invariants.ts'

let close = async () => {}
afterEach(() => close())

const domain = 'a.example.com'
const ownScope = { domain, presenceId: null }

async function aPath(): Promise<CommandPath> {
  const path = await aCommandPath()
  close = path.close
  await path.connect()
  return path
}

const run = (path: CommandPath, command: EngineCommand, scope: CommandScope = ownScope) =>
  path.finish(path.calls.run(command, scope, 20_000))

/** The orders that need a channel, as their callers send them. */
const orders = commandKinds.filter(({ kind }) => ['hold', 'unhold', 'hangup', 'eavesdrop'].includes(kind))

/** A uuid that the caller may not touch, by the reason. */
const strangers: readonly {
  readonly title: string
  readonly wasOwn?: boolean
  readonly make: (path: CommandPath) => string | Promise<string>
}[] = [
  { title: 'that no engine has', make: () => randomUUID() },
  {
    title: 'of another domain',
    make: (path) => {
      const uuid = randomUUID()
      path.engine.channels.set(uuid, { domain: 'b.example.com', presenceId: '1000@b.example.com', isHeld: false })
      return uuid
    },
  },
  {
    title: 'of another domain that has the login of this one in its presence',
    make: (path) => {
      const uuid = randomUUID()
      path.engine.channels.set(uuid, { domain: 'b.example.com', presenceId: `1000@${domain}`, isHeld: false })
      return uuid
    },
  },
  {
    title: 'of no domain that there is',
    make: (path) => {
      const uuid = randomUUID()
      path.engine.channels.set(uuid, { domain: 'gone.example.com', presenceId: '', isHeld: false })
      return uuid
    },
  },
  {
    title: 'that has ended without a word',
    make: (path) => {
      const uuid = aChannelFor(path, 'hold')
      path.engine.channels.delete(uuid)
      return uuid
    },
  },
  {
    title: 'that was hung up by the API a moment ago',
    wasOwn: true,
    make: async (path) => {
      const uuid = aChannelFor(path, 'hold')
      await run(path, { kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' })
      path.engine.jobs.length = 0
      return uuid
    },
  },
  {
    title: 'of a call that was placed and that the engine refused',
    make: async (path) => {
      const usual = path.engine.onJob
      path.engine.onJob = (job) => {
        job.accept()
        job.finish('-ERR USER_NOT_REGISTERED\n')
      }
      const command = anOriginate()
      await run(path, command)
      path.engine.onJob = usual
      path.engine.jobs.length = 0
      return command.uuid
    },
  },
  {
    title: 'of a call that was placed and never existed, as far as anybody knows',
    make: async (path) => {
      const usual = path.engine.onJob
      path.engine.onJob = (job) => job.accept()
      const command = anOriginate()
      await run(path, command)
      path.engine.onJob = usual
      path.engine.jobs.length = 0
      return command.uuid
    },
  },
]

describe.each(orders)('$kind', ({ kind, send }) => {
  test.each(strangers)(
    `${kind} of a channel $title is answered 404, and nothing is done`,
    async ({ make, wasOwn = false }) => {
      const path = await aPath()
      const uuid = await make(path)
      const before = JSON.stringify([...path.engine.channels])

      const answer = await path.finish(send(path, uuid))

      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
      // A hang-up of a channel that was proven to be the domain's own is not asked for once more.
      if (kind !== 'hangup' || !wasOwn) expect(path.engine.lines).toEqual([])
      checkInvariants({
        others: { before, after: JSON.stringify([...path.engine.channels]) },
        commands: path
          .records()
          .slice(-1)
          .map(({ id, outcome }) => ({ id, outcome, effects: path.engine.effectsOf(id) })),
      })
    },
  )

  test(`${kind} of a channel of the domain is done`, async () => {
    const path = await aPath()
    const uuid = aChannelFor(path, kind)

    expect(await path.finish(send(path, uuid))).toMatchObject({ status: 200 })
    expect(path.engine.lines).toEqual([expect.stringContaining(uuid)])
  })

  test.each([
    [`1000@${domain}`, 'done'],
    [`1001@${domain}`, 'absent'],
  ])(`${kind} by a caller that may touch only its own channels, on one of %s, is %s`, async (presenceId, state) => {
    const path = await aPath()
    const uuid = randomUUID()
    path.engine.channels.set(uuid, { domain, presenceId, isHeld: kind === 'unhold' })
    const command =
      kind === 'eavesdrop'
        ? anEavesdrop({ target: uuid })
        : ({ kind, uuid, ...(kind === 'hangup' ? { cause: 'NORMAL_CLEARING' } : {}) } as EngineCommand)

    expect(await run(path, command, { domain, presenceId: `1000@${domain}` })).toMatchObject({ state })
    expect(path.engine.lines).toHaveLength(state === 'done' ? 1 : 0)
  })
})

describe("the engine's words are not taken as they are", () => {
  test('holding a channel twice succeeds, although the engine answers -ERR', async () => {
    const path = await aPath()
    const uuid = aChannelFor(path, 'hold')

    expect(await run(path, { kind: 'hold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
    expect(await run(path, { kind: 'hold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
    expect(path.engine.channels.get(uuid)?.isHeld).toBe(true)
  })

  test('taking a channel off hold twice succeeds, although the engine answers -ERR', async () => {
    const path = await aPath()
    const uuid = aChannelFor(path, 'unhold')

    expect(await run(path, { kind: 'unhold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
    expect(await run(path, { kind: 'unhold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
    expect(path.engine.channels.get(uuid)?.isHeld).toBe(false)
  })

  test.each(['hold', 'unhold'] as const)(
    'an order %s that failed is refused, although the words of the engine are the same',
    async (kind) => {
      const path = await aPath()
      const uuid = aChannelFor(path, kind)
      path.engine.onJob = (job) => {
        job.accept()
        job.finish('-ERR Operation failed\n')
      }

      expect(await run(path, { kind, uuid })).toEqual({ state: 'refused', text: '-ERR Operation failed\n' })
    },
  )

  test.each(['hold', 'unhold'] as const)(
    '%s that failed is refused when the state of the channel is unknown',
    async (kind) => {
      const path = await aPath()
      const uuid = aChannelFor(path, kind)
      path.engine.onJob = (job) => {
        path.engine.answer = (command) => (command.startsWith('uuid_dump ') ? '{}' : undefined)
        job.accept()
        job.finish('-ERR Operation failed\n')
      }

      expect(await run(path, { kind, uuid })).toEqual({ state: 'refused', text: '-ERR Operation failed\n' })
    },
  )

  test('a call whose chosen uuid was in use is reported with its other uuid, and both uuids lead to it', async () => {
    const path = await aPath()
    const uuid = randomUUID()
    const command = anOriginate({ uuid })
    path.engine.onJob = (job) => {
      job.accept()
      const inUse = job.line.startsWith('originate') ? aChannelFor(path, 'hold', uuid) : ''
      const reply = job.run()
      path.engine.channels.delete(inUse)
      job.finish(reply)
    }

    const outcome = await run(path, command)

    if (outcome?.state !== 'done' || outcome.uuid === undefined) throw new Error('the call was not placed')
    const actual = outcome.uuid
    expect(actual).not.toBe(command.uuid)
    expect(await run(path, { kind: 'hangup', uuid: command.uuid, cause: 'NORMAL_CLEARING' })).toMatchObject({
      state: 'done',
    })
    expect([path.engine.timesDone(`uuid_kill ${actual}`), path.engine.timesDone(`uuid_kill ${command.uuid}`)]).toEqual([
      1, 0,
    ])
  })

  test('a call to an extension that does not exist is answered +OK: it was placed, and events report its end', async () => {
    const path = await aPath()
    const command = anOriginate({ calledId: '99999' })

    expect(await run(path, command)).toEqual({ state: 'done', text: `+OK ${command.uuid}\n`, uuid: command.uuid })
  })

  test.each(['-USAGE: <uuid> [cause]\n', '-ERR Operation failed\n', '-ERROR: no memory\n'])(
    'words without +OK are a refusal: %s',
    async (reply) => {
      const path = await aPath()
      path.engine.onJob = (job) => {
        job.accept()
        job.finish(reply)
      }

      expect(await run(path, { kind: 'hangup', uuid: aChannelFor(path, 'hangup'), cause: 'NORMAL_CLEARING' })).toEqual({
        state: 'refused',
        text: reply,
      })
    },
  )
})
