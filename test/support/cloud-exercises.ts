/** For the test of contracts/access.ts: how to make each method of each port do all that it may do to the cloud. */
import { expect } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import type { Ports } from '../../core/ports.ts'
import type { CloudCall, CloudGate } from './cloud-gate.ts'
import { aCommandRecord, aDelivery, aDomain, aHook, aPresence, aReport, aToken, anAccount, anEvent } from './records.ts'

/** The ports whose adapters reach the cloud. */
export type CloudPorts = Omit<Ports, 'passwords' | 'hookClient'>

/** Makes a method do all that it may ever do to the cloud. */
export type Exercise = (ports: CloudPorts, gate: CloudGate) => Promise<unknown>

const domain = aDomain({ name: 'access.test' })
const account = anAccount({ domain: domain.name })
const token = aToken({ domain: domain.name })
const delivery = aDelivery({ domain: domain.name })
const attempt = { at: 1, durationMs: 1, status: 200 }
const large = { state: 'done', text: systemText(400_000) } as const

/** For each method: what has to be there first, and the calls of the method. */
export const exercises: {
  readonly [P in keyof CloudPorts]: {
    readonly [M in keyof Ports[P]]: { readonly first?: Exercise; readonly run: Exercise }
  }
} = {
  domains: {
    create: { run: ({ domains }) => domains.create(domain) },
    read: { run: ({ domains }) => domains.read(domain.name) },
    list: { run: ({ domains }) => domains.list() },
  },
  accounts: {
    create: {
      first: ({ domains }) => domains.create(domain),
      run: async ({ accounts }) => [await accounts.create(account, 9), await accounts.create(account, 9)],
    },
    read: { run: ({ accounts }) => accounts.read(domain.name, account.login) },
    readByNumber: { first: withAccount, run: ({ accounts }) => accounts.readByNumber(domain.name, '1000') },
    list: { run: ({ accounts }) => accounts.list(domain.name) },
    update: {
      first: withAccount,
      run: async ({ accounts }) => {
        const stored = await accounts.update({ ...account, numbers: ['new'], version: 2 }, account)
        expect(stored).toBe('updated')
      },
    },
    remove: {
      first: withAccount,
      run: async ({ accounts }) => expect(await accounts.remove(account)).toBe(true),
    },
  },
  tokens: {
    create: { first: ({ tokens }) => tokens.create(aToken(), 1), run: ({ tokens }) => tokens.create(aToken(), 1) },
    remove: { run: ({ tokens }) => tokens.remove(token.domain, token.login, token.key) },
  },
  credentials: {
    read: {
      run: async ({ credentials }) => [await credentials.read(token), await credentials.read({ ...token, domain: '' })],
    },
  },
  sessions: {
    touch: { run: ({ sessions }) => sessions.touch('a@access.test', 'access.test', 1) },
    count: { run: ({ sessions }) => sessions.count(0) },
  },
  loginThrottle: {
    read: { run: ({ loginThrottle }) => loginThrottle.read(['a', 'b'], 0) },
    fail: { run: ({ loginThrottle }) => loginThrottle.fail(['a', 'b'], 1) },
    clear: {
      first: ({ loginThrottle }) => loginThrottle.fail(['a'], 1),
      run: ({ loginThrottle }) => loginThrottle.clear('a'),
    },
  },
  secrets: {
    rootPassword: { run: ({ secrets }) => secrets.rootPassword() },
    engineCredential: { run: ({ secrets }) => secrets.engineCredential() },
  },
  secretBox: {
    seal: { run: ({ secretBox }) => secretBox.seal(new Uint8Array(1), 'test') },
    open: { run: ({ secretBox }) => secretBox.open('AA==', 'test') },
  },
  presence: {
    read: { run: ({ presence }) => presence.read(domain.name, account.login) },
    list: { run: ({ presence }) => presence.list(domain.name) },
    put: { run: ({ presence }) => presence.put(aPresence()) },
  },
  engine: {
    run: {
      run: async ({ engine, commands }, gate) => {
        gate.answer = async (call, forward) => {
          if (call.action !== 'SendMessage') return forward()
          const { id } = JSON.parse(String(call.input['MessageBody']))
          await completeUnseen(gate, () => commands.complete(id, large))
          return forward()
        }
        const outcome = await engine.run({ kind: 'list-channels' }, { domain: null, presenceId: null }, 5_000)
        expect(outcome?.state).toBe('done')
        gate.answer = (_call, forward) => forward()
        const untaken = await engine.run({ kind: 'list-channels' }, { domain: null, presenceId: null }, 0)
        expect(untaken).toEqual({ state: 'unsent', reason: 'expired' })
      },
    },
    send: { run: ({ engine }) => engine.send({ kind: 'list-channels' }, { domain: null, presenceId: null }) },
  },
  commands: {
    create: { run: ({ commands }) => commands.create(aCommandRecord()) },
    read: {
      run: async ({ commands }, gate) => {
        const record = aCommandRecord()
        await completeUnseen(gate, async () => {
          await commands.create(record)
          await commands.complete(record.id, large)
        })
        expect((await commands.read(record.id))?.outcome?.state).toBe('done')
      },
    },
    claim: { run: ({ commands }) => commands.claim('some', 'connector') },
    withdraw: { run: ({ commands }) => commands.withdraw('some') },
    complete: { run: ({ commands }) => commands.complete('some', large) },
  },
  events: { publish: { run: ({ events }) => events.publish([anEvent()]) } },
  hooks: {
    create: { run: ({ hooks }) => hooks.create([aHook(), aHook()], 9) },
    read: { run: ({ hooks }) => hooks.read(domain.name, 'some') },
    list: { run: ({ hooks }) => hooks.list(domain.name) },
  },
  subscriptions: {
    version: { run: ({ subscriptions }) => subscriptions.version() },
    list: { run: ({ subscriptions }) => subscriptions.list() },
  },
  deliveries: {
    create: { run: ({ deliveries }) => deliveries.create(delivery) },
    read: { run: ({ deliveries }) => deliveries.read(domain.name, 'some', 'some') },
    recordAttempt: { run: ({ deliveries }) => deliveries.recordAttempt(delivery, attempt, 'delivered') },
    listPending: { run: ({ deliveries }) => deliveries.listPending(1) },
  },
  deliveryQueue: {
    send: { run: ({ deliveryQueue }) => deliveryQueue.send([{ ...delivery, attempt: 1, delaySeconds: 0 }]) },
  },
  connectorStatus: {
    report: { run: ({ connectorStatus }) => connectorStatus.report(aReport()) },
    list: { run: ({ connectorStatus }) => connectorStatus.list(0) },
    countStart: { run: ({ connectorStatus }) => connectorStatus.countStart() },
  },
  audit: {
    append: {
      run: ({ audit }) =>
        audit.append({
          at: 1,
          requestId: 'r',
          caller: 'root',
          domain: '',
          sourceAddress: '192.0.2.1',
          method: 'POST',
          path: '/',
          status: 200,
          fields: [],
        }),
    },
  },
}

/** Calls that a test made beside those of the method. */
export const unseen = new Set<CloudCall>()

async function completeUnseen(gate: CloudGate, work: () => Promise<unknown>): Promise<void> {
  const before = gate.calls.length
  await work()
  for (const call of gate.calls.slice(before)) unseen.add(call)
}

async function withAccount({ domains, accounts }: CloudPorts): Promise<void> {
  await domains.create(domain)
  await accounts.remove(account)
  await accounts.create(account, 9)
}

function systemText(bytes: number): string {
  return Buffer.from(systemRandomness.bytes(bytes)).toString('hex')
}
