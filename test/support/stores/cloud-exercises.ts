/**
 * For the test of contracts/access/access.ts: how to make each method of each port do all that it may do to the cloud.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { queuedAttempt } from '../../../core/hooks/delivery/delivery.ts'
import type { RouteStore } from '../../../core/default-routes/route-store.ts'
import type { Ports } from '../../../contracts/ports.ts'
import type { CloudCall, CloudGate } from './cloud-gate.ts'
import { fileExercises } from './file-exercises.ts'
import { anEndUpdate } from '../records/cdr-update.ts'
import { aCdr, aPlan } from '../records/cdrs.ts'
import { fillDomain } from '../platform/full-domain.ts'
import {
  aCommandRecord,
  aDelivery,
  aDomain,
  aDomainToken,
  aHook,
  aKnownCall,
  aPlacedCall,
  aPresence,
  aGap,
  aRecording,
  aReport,
  aRequestKey,
  aRole,
  aRoute,
  aStoredObject,
  aToken,
  anAccount,
  anAuditRecord,
  anEntry,
  anErasure,
  anExport,
  anEvent,
  aDomainVersion,
  aGateway,
  aGatewayState,
  emailSettingsOf,
} from '../records/records.ts'

/** Takes a number and writes nothing under it; the next number was taken and written a minute ago. */
function withDeadWriter(name: string): Exercise {
  return async ({ eventLogWriter }) => {
    const { takenAt } = await eventLogWriter.take(name, 2, 1)
    const aMinuteAgo = takenAt - 60_000
    await eventLogWriter.write({ domain: name, first: 2, count: 1, takenAt: aMinuteAgo, unwatched: undefined }, [])
  }
}

/** The ports whose adapters reach the cloud. */
export type CloudPorts = Omit<Ports, 'passwords' | 'hookClient' | 'mail'>

/** More than a table takes. */
const aDrop = { engine: 'fs1', domain: 'a.example.com', login: '1000', deletedAt: 1, command: 'c1' }
const largeEvent = anEvent({ fields: { large: 'x'.repeat(300_000) } })

/** Makes a method do all that it may ever do to the cloud. */
export type Exercise = (ports: CloudPorts, gate: CloudGate) => Promise<unknown>

const domain = aDomain({ name: 'access.test' })
const account = anAccount({ domain: domain.name })
const token = aToken({ domain: domain.name })
const delivery = aDelivery({ domain: domain.name })
/** Later than everything. */
const anyMoment = Number.MAX_SAFE_INTEGER
const attempt = { at: 1, durationMs: 1, status: 200 }
let recording = aRecording({ domain: 'recorded.test' })
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
    replaceSettings: { run: ({ domains }) => domains.replaceSettings({ ...domain, version: 2 }) },
    exists: { run: ({ domains }) => domains.exists(domain.name) },
    anyExists: { run: ({ domains }) => domains.anyExists([domain.name]) },
    beginDeletion: { run: ({ domains }) => domains.beginDeletion('other.test', 1) },
    readDeleted: { run: ({ domains }) => domains.readDeleted(domain.name) },
    listDeleted: { run: ({ domains }) => domains.listDeleted() },
    endDeletion: { run: ({ domains }) => domains.endDeletion(domain.name) },
  },
  tenantData: {
    purge: {
      first: async (ports) => fillDomain(ports, 'swept.test'),
      run: async ({ tenantData }) => expect(await tenantData.purge('swept.test', Number.MAX_SAFE_INTEGER)).toBe(true),
    },
  },
  cleanups: {
    send: { run: ({ cleanups }) => cleanups.send({ domain: domain.name, requestedAt: 1, delaySeconds: 0 }) },
  },
  cdrs: {
    index: { run: ({ cdrs }) => cdrs.index([{ source: 'event', cdr: aCdr() }]) },
    setRecordings: { run: ({ cdrs }) => cdrs.setRecordings(aCdr(), []) },
    search: { run: ({ cdrs }) => cdrs.search(aPlan(), 1_000) },
    remove: { run: ({ cdrs }) => cdrs.remove(aPlan({ to: Number.MAX_SAFE_INTEGER }), 10) },
  },
  cdrAdmin: {
    prepare: { run: ({ cdrAdmin }) => cdrAdmin.prepare() },
    removeEmpty: { run: ({ cdrAdmin }) => cdrAdmin.removeEmpty(Number.MAX_SAFE_INTEGER) },
  },
  exports: {
    create: { run: ({ exports }) => exports.create(anExport()) },
    read: { run: ({ exports }) => exports.read(anExport()) },
    replace: { run: ({ exports }) => exports.replace(anExport({ version: 2 })) },
    list: { run: ({ exports }) => exports.list(domain.name) },
    remove: { run: ({ exports }) => exports.remove(anExport()) },
  },
  erasures: {
    create: { run: ({ erasures }) => erasures.create(anErasure()) },
    read: { run: ({ erasures }) => erasures.read(anErasure()) },
    replace: { run: ({ erasures }) => erasures.replace(anErasure({ version: 2 })) },
    mark: { run: ({ erasures }) => erasures.mark(domain.name, ['u1']) },
    listMarked: { run: ({ erasures }) => erasures.listMarked([{ domain: domain.name, uuid: 'u1' }]) },
  },
  erasureQueue: { send: { run: ({ erasureQueue }) => erasureQueue.send(anErasure()) } },
  eventTraces: {
    listEvents: {
      first: async ({ deliveries }) => deliveries.keepEvent({ ...largeEvent, domain: domain.name }),
      run: async ({ eventTraces }) => {
        await eventTraces.listEvents(domain.name)
        await eventTraces.listEvents(domain.name, 'payloads ')
      },
    },
    removeEvents: {
      run: ({ eventTraces }) =>
        eventTraces.removeEvents(domain.name, [
          { place: '', event: anEvent() },
          { place: 'log|x event|1', event: anEvent() },
        ]),
    },
    listDeliveries: { run: ({ eventTraces }) => eventTraces.listDeliveries(domain.name) },
    removeDeliveries: { run: ({ eventTraces }) => eventTraces.removeDeliveries([aDelivery()]) },
  },
  exportQueue: { send: { run: ({ exportQueue }) => exportQueue.send(anExport()) } },
  cdrQueue: { send: { run: ({ cdrQueue }) => cdrQueue.send([anEndUpdate()]) } },
  domainVersions: {
    create: {
      run: async ({ domainVersions }) => {
        await domainVersions.create(aDomainVersion({ domain: domain.name, number: 9 }), 3)
      },
    },
    list: { run: ({ domainVersions }) => domainVersions.list(domain.name) },
    read: {
      first: ({ domainVersions }) => domainVersions.create(aDomainVersion({ domain: domain.name }), 3),
      run: ({ domainVersions }) => domainVersions.read(domain.name, 1),
    },
  },
  roles: {
    read: { run: ({ roles }) => roles.read(domain.name) },
    write: { run: ({ roles }) => roles.write({ domain: domain.name, roles: [aRole()], version: 1 }) },
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
    useCode: { run: ({ accounts }) => accounts.useCode(account, 1) },
  },
  tokens: {
    create: { first: ({ tokens }) => tokens.create(aToken(), 1), run: ({ tokens }) => tokens.create(aToken(), 1) },
    remove: { run: ({ tokens }) => tokens.remove(token.domain, token.login, token.key) },
  },
  domainTokens: {
    create: { run: ({ domainTokens }) => domainTokens.create(aDomainToken(), 9) },
    read: { run: ({ domainTokens }) => domainTokens.read(domain.name, 'some') },
    list: { run: ({ domainTokens }) => domainTokens.list(domain.name) },
    setEnabled: { run: ({ domainTokens }) => domainTokens.setEnabled(domain.name, 'some', true) },
    remove: { run: ({ domainTokens }) => domainTokens.remove(domain.name, 'some') },
  },
  credentials: {
    read: {
      run: async ({ credentials }) => [await credentials.read(token), await credentials.read({ ...token, domain: '' })],
    },
    readDomainToken: { run: ({ credentials }) => credentials.readDomainToken({ domain: domain.name, uuid: 'some' }) },
  },
  sessions: {
    touch: { run: ({ sessions }) => sessions.touch('a@access.test', 'access.test', 1) },
    meet: { run: ({ sessions }) => sessions.meet('a@access.test', '192.0.2.1', 1) },
    count: { run: ({ sessions }) => sessions.count(0) },
  },
  loginThrottle: {
    begin: { run: ({ loginThrottle }) => loginThrottle.begin('b', { limit: 9, since: 0 }, 1) },
    settle: { run: ({ loginThrottle }) => loginThrottle.settle({ key: 'b', slot: 'slot', id: 'some' }) },
    release: { run: ({ loginThrottle }) => loginThrottle.release({ key: 'b', slot: 'slot', id: 'some' }) },
    clear: {
      first: ({ loginThrottle }) => loginThrottle.begin('a', { limit: 9, since: 0 }, 1),
      run: ({ loginThrottle }) => loginThrottle.clear('a'),
    },
    pause: { run: ({ loginThrottle }) => loginThrottle.pause(0) },
    isKnown: { run: ({ loginThrottle }) => loginThrottle.isKnown(account, '192.0.2.0/24', 0) },
    remember: {
      first: ({ loginThrottle }) => loginThrottle.remember(account, '192.0.2.0/24', 1, 1),
      run: ({ loginThrottle }) => loginThrottle.remember(account, '198.51.100.0/24', 2, 1),
    },
  },
  secrets: {
    rootPassword: { run: ({ secrets }) => secrets.rootPassword() },
    rootVersion: { run: ({ secrets }) => secrets.rootVersion() },
    cursorKey: { run: ({ secrets }) => secrets.cursorKey() },
    engineCredential: { run: ({ secrets }) => secrets.engineCredential() },
  },
  secretBox: {
    seal: { run: ({ secretBox }) => secretBox.seal(new Uint8Array(1), 'test') },
    open: { run: ({ secretBox }) => secretBox.open('AA==', 'test') },
  },
  presence: {
    read: { run: ({ presence }) => presence.read(domain.name, account.login) },
    list: { run: ({ presence }) => presence.list(domain.name) },
    readEach: { run: ({ presence }) => presence.readEach([aPresence()]) },
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
        const everywhere = { domain: null, presenceId: null }
        const id = systemRandomness.uuid()
        const outcome = await engine.run({ kind: 'list-channels' }, everywhere, 5_000, id)
        expect(outcome?.state).toBe('done')
        expect(await engine.run({ kind: 'list-channels' }, everywhere, 5_000, id)).toEqual(outcome)
        gate.answer = (_call, forward) => forward()
        const untaken = await engine.run({ kind: 'list-channels' }, everywhere, 0)
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
    complete: { run: ({ commands }) => commands.complete('some', large) },
    withdraw: { run: ({ commands }) => commands.withdraw('some') },
    endClaimsOf: {
      first: async ({ commands }) => {
        const { id } = aCommandRecord()
        await commands.create(aCommandRecord({ id }))
        await commands.claim(id, 'lost')
      },
      run: ({ commands }) => commands.endClaimsOf('lost', Number.MAX_SAFE_INTEGER),
    },
    keepAlias: { run: ({ commands }) => commands.keepAlias('chosen', 'actual') },
    readAlias: { run: ({ commands }) => commands.readAlias('chosen') },
    addUnregistrations: { run: ({ commands }) => commands.addUnregistrations([aDrop]) },
    listUnregistrations: {
      first: ({ commands }) => commands.addUnregistrations([aDrop]),
      run: ({ commands }) => commands.listUnregistrations('fs1'),
    },
    endUnregistration: { run: ({ commands }) => commands.endUnregistration(aDrop) },
  },
  events: { publish: { run: ({ events }) => events.publish([anEvent()]) } },
  hooks: {
    create: { run: ({ hooks }) => hooks.create([aHook(), aHook()], 9) },
    read: { run: ({ hooks }) => hooks.read(domain.name, 'some') },
    list: { run: ({ hooks }) => hooks.list(domain.name) },
    count: { run: ({ hooks }) => hooks.count(domain.name) },
    replace: { run: ({ hooks }) => hooks.replace(aHook({ domain: domain.name })) },
    remove: { run: ({ hooks }) => hooks.remove(aHook({ domain: domain.name })) },
    countFailure: {
      run: ({ hooks }) => hooks.countFailure(domain.name, 'some', { delivery: delivery.id, at: 1 }),
    },
    clearFailures: { run: ({ hooks }) => hooks.clearFailures(domain.name, 'some') },
    noteLate: { run: ({ hooks }) => hooks.noteLate({ domain: domain.name, id: 'some' }, 1) },
    endNotice: { run: ({ hooks }) => hooks.endNotice(aHook({ domain: domain.name })) },
    renewNotice: { run: ({ hooks }) => hooks.renewNotice(aHook({ domain: domain.name }), 1) },
  },
  blacklists: {
    add: {
      first: withEndedEntries,
      run: async ({ blacklists }) => {
        expect(await blacklists.add(anEntry({ domain: domain.name, number: '3' }), { entries: 2, lists: 1 })).toBe(
          'added',
        )
        expect(await blacklists.add(anEntry({ domain: domain.name, list: 'b' }), { entries: 2, lists: 1 })).toBe(
          'lists_full',
        )
      },
    },
    read: { first: withEndedEntries, run: ({ blacklists }) => blacklists.read(domain.name, 'spam', '1') },
    names: { first: withEndedEntries, run: ({ blacklists }) => blacklists.names(domain.name) },
    page: {
      first: withEndedEntries,
      run: ({ blacklists }) => blacklists.page(domain.name, 'spam', { skip: 0, limit: 1, direction: 1 }),
    },
    entries: { first: withEndedEntries, run: ({ blacklists }) => blacklists.entries(domain.name, 'spam') },
    remove: {
      first: withEndedEntries,
      run: async ({ blacklists }) => {
        for (const number of ['1', '2']) await blacklists.remove(domain.name, 'spam', number)
      },
    },
    removeList: { first: withEndedEntries, run: ({ blacklists }) => blacklists.removeList(domain.name, 'spam') },
    sweep: {
      first: async (ports) => {
        await withEndedEntries(ports)
        await ports.blacklists.removeList(domain.name, 'spam')
      },
      run: async ({ blacklists }) => expect(await blacklists.sweep(domain.name, Number.MAX_SAFE_INTEGER)).toBe(true),
    },
  },
  defaultRoutes: routesExercises(({ defaultRoutes }) => defaultRoutes),
  publicRoutes: routesExercises(({ publicRoutes }) => publicRoutes),
  subscriptions: {
    version: { run: ({ subscriptions }) => subscriptions.version() },
    list: { run: ({ subscriptions }) => subscriptions.list() },
  },
  deliveries: {
    create: { run: ({ deliveries }) => deliveries.create(delivery) },
    createTogether: { run: ({ deliveries }) => deliveries.createTogether([delivery]) },
    read: { run: ({ deliveries }) => deliveries.read(domain.name, 'some', 'some') },
    keepEvent: { run: ({ deliveries }) => deliveries.keepEvent(largeEvent) },
    readEvent: {
      first: ({ deliveries }) => deliveries.keepEvent(largeEvent),
      run: ({ deliveries }) => deliveries.readEvent({ ...largeEvent, eventId: largeEvent.id, sequence: 1 }),
    },
    beginAttempt: { run: ({ deliveries }) => deliveries.beginAttempt(delivery, 'run', 1) },
    recordAttempt: {
      first: ({ deliveries }) => deliveries.create(delivery),
      run: async ({ deliveries }) => [
        await deliveries.recordAttempt(delivery, { attempt, state: 'failed' }),
        await deliveries.recordAttempt(delivery, { run: 'late', attempt, state: 'delivered' }),
      ],
    },
    recordTogether: {
      run: ({ deliveries }) =>
        deliveries.recordTogether([{ delivery, outcome: { run: 'run', attempt, state: 'failed' } }]),
    },
    reschedule: { run: ({ deliveries }) => deliveries.reschedule(delivery, 1) },
    reopen: { run: ({ deliveries }) => deliveries.reopen(delivery, 1) },
    listDue: {
      first: ({ deliveries }) => deliveries.create(aDelivery({ domain: domain.name })),
      run: ({ deliveries }) => deliveries.listDue(anyMoment, 9),
    },
    listFailed: { run: ({ deliveries }) => deliveries.listFailed(domain.name, 9) },
    list: { run: ({ deliveries }) => deliveries.list(domain.name, 'some', { newestFirst: true, limit: 9 }) },
  },
  receivedEvents: { ack: { run: ({ receivedEvents }) => receivedEvents.ack(['receipt']) } },
  deliveryQueue: {
    send: { run: ({ deliveryQueue }) => deliveryQueue.send([queuedAttempt(delivery, 1)]) },
    waiting: { run: ({ deliveryQueue }) => deliveryQueue.waiting() },
  },
  connectorStatus: {
    report: { run: ({ connectorStatus }) => connectorStatus.report(aReport()) },
    list: { run: ({ connectorStatus }) => connectorStatus.list(0) },
    countStart: { run: ({ connectorStatus }) => connectorStatus.countStart() },
    noteWait: { run: ({ connectorStatus }) => connectorStatus.noteWait({ stage: 'deliver', ageMs: 1, at: 1 }) },
    listWaits: { run: ({ connectorStatus }) => connectorStatus.listWaits(0) },
  },
  gaps: {
    record: { run: ({ gaps }) => gaps.record(aGap()) },
    list: { run: ({ gaps }) => gaps.list(0, 9) },
  },
  eventLogWriter: {
    take: { run: ({ eventLogWriter }) => eventLogWriter.take(domain.name, 1, 1) },
    write: {
      run: async ({ eventLogWriter }) => {
        const taken = { domain: largeEvent.domain, first: 1, count: 2, takenAt: 1, unwatched: { from: 0, to: 1 } }
        await eventLogWriter.write(taken, [{ event: largeEvent, sequence: 1, isWanted: true, deliveries: [delivery] }])
      },
    },
  },
  eventLog: {
    read: { first: withDeadWriter('read.test'), run: ({ eventLog }) => eventLog.read('read.test', 0, 10) },
    latest: { first: withDeadWriter('latest.test'), run: ({ eventLog }) => eventLog.latest('latest.test', 10) },
    head: { run: ({ eventLog }) => eventLog.head(domain.name) },
  },
  idempotency: {
    create: {
      first: ({ idempotency }) => idempotency.create(aRequestKey()),
      run: ({ idempotency }) => idempotency.create(aRequestKey()),
    },
    takeOver: { run: ({ idempotency }) => idempotency.takeOver(aRequestKey(), 'some') },
    complete: { run: ({ idempotency }) => idempotency.complete(aRequestKey(), 'answer') },
    release: { run: ({ idempotency }) => idempotency.release(aRequestKey()) },
  },
  rateLimits: {
    take: { run: ({ rateLimits }) => rateLimits.take('some', { intervalMs: 1, burst: 1 }, 1) },
    takeInWindow: { run: ({ rateLimits }) => rateLimits.takeInWindow('some', { limit: 1, windowMs: 1 }, 1) },
    enter: { run: ({ rateLimits }) => rateLimits.enter('some', { limit: 1, leaseMs: 1 }, 1) },
    leave: { run: ({ rateLimits }) => rateLimits.leave('some', '0:nobody') },
  },
  knownCalls: {
    put: { run: ({ knownCalls }) => knownCalls.put(aKnownCall({ domain: domain.name })) },
    read: { run: ({ knownCalls }) => knownCalls.read(domain.name, 'some') },
    list: {
      first: ({ knownCalls }) => knownCalls.put(aKnownCall({ domain: domain.name, engine: 'some' })),
      run: ({ knownCalls }) => knownCalls.list('some'),
    },
    listOf: { run: ({ knownCalls }) => knownCalls.listOf(domain.name) },
    remove: { run: ({ knownCalls }) => knownCalls.remove([{ domain: domain.name, uuid: 'some' }]) },
    place: { run: ({ knownCalls }) => knownCalls.place(aPlacedCall({ domain: domain.name })) },
    answered: { run: ({ knownCalls }) => knownCalls.answered({ domain: domain.name, uuid: 'some' }, 1) },
    listPlaced: { run: ({ knownCalls }) => knownCalls.listPlaced(domain.name) },
    unplace: {
      first: async ({ knownCalls }) => {
        await knownCalls.put(aKnownCall({ domain: domain.name, uuid: 'some' }))
        await knownCalls.place(aPlacedCall({ domain: domain.name, uuid: 'some' }))
      },
      run: ({ knownCalls }) => knownCalls.unplace({ domain: domain.name, uuid: 'some' }),
    },
  },
  recordings: {
    expect: { run: ({ recordings }) => recordings.expect(aRecording({ domain: recording.domain })) },
    listRecorded: { run: ({ recordings }) => recordings.listRecorded([recording]) },
    wasLeft: { run: ({ recordings }) => recordings.wasLeft(recording.domain) },
    listByFile: { run: ({ recordings }) => recordings.listByFile(recording.name, recording.domain) },
    read: { run: ({ recordings }) => recordings.read(recording) },
    list: { run: ({ recordings }) => recordings.list(recording.domain, recording.uuid) },
    claim: {
      first: withRecording,
      run: ({ recordings }) => recordings.claim(recording, 'me', { now: 1, until: 2 }),
    },
    renew: { first: withRecording, run: ({ recordings }) => recordings.renew(recording, 'me', 3) },
    release: { first: withRecording, run: ({ recordings }) => recordings.release(recording, 'me') },
    markFailed: { first: withRecording, run: ({ recordings }) => recordings.markFailed(recording, 9) },
    setHold: {
      first: withRecording,
      run: async ({ recordings }) => [
        await recordings.setHold(recording, true),
        await recordings.setHold(recording, false),
      ],
    },
    markStored: {
      first: withRecording,
      run: async ({ recordings }) =>
        expect(await recordings.markStored(recording, 'me', aStoredObject())).toBe('stored'),
    },
    markDeleted: { first: withRecording, run: ({ recordings }) => recordings.markDeleted(recording, 9) },
    markRemoved: {
      first: async (ports) => {
        await withRecording(ports)
        await ports.recordings.markDeleted(recording, 9)
      },
      run: async ({ recordings }) => expect(await recordings.markRemoved(recording, 9)).toBe(true),
    },
    listOverdue: { first: withRecording, run: ({ recordings }) => recordings.listOverdue(anyMoment, 9) },
    listExpired: {
      first: async (ports) => {
        await withRecording(ports)
        await ports.recordings.markStored(recording, 'me', aStoredObject())
      },
      run: ({ recordings }) => recordings.listExpired(recording.domain, anyMoment, 9),
    },
    listDoomed: {
      first: async (ports) => {
        await withRecording(ports)
        await ports.recordings.markDeleted(recording, 9)
      },
      run: ({ recordings }) => recordings.listDoomed(anyMoment, 9),
    },
    page: { run: ({ recordings }) => recordings.page(recording.domain, 9) },
    leave: {
      run: ({ recordings }) => recordings.leave({ domain: domain.name, retentionDays: 365, leftAt: 1 }),
    },
    listLeft: { run: ({ recordings }) => recordings.listLeft(9) },
    forgetLeft: { run: ({ recordings }) => recordings.forgetLeft(domain.name, 1) },
  },
  recordingFiles: fileExercises(({ recordingFiles }) => recordingFiles),
  exportFiles: fileExercises(({ exportFiles }) => exportFiles),
  gatewayStates: {
    list: { run: ({ gatewayStates }) => gatewayStates.list(domain.name) },
    put: { run: ({ gatewayStates }) => gatewayStates.put([aGatewayState({ domain: domain.name })]) },
    remove: { run: ({ gatewayStates }) => gatewayStates.remove([aGatewayState({ domain: domain.name })]) },
  },
  gateways: {
    list: { run: ({ gateways }) => gateways.list(domain.name) },
    listAll: { run: ({ gateways }) => gateways.listAll() },
    listByNetwork: { run: ({ gateways }) => gateways.listByNetwork() },
    read: { run: ({ gateways }) => gateways.read(domain.name, 'some') },
    create: { run: ({ gateways }) => gateways.create(aGateway({ domain: domain.name }), 9) },
    replace: { run: ({ gateways }) => gateways.replace(aGateway({ domain: domain.name })) },
    remove: { run: ({ gateways }) => gateways.remove(aGateway({ domain: domain.name })) },
  },
  emailSettings: {
    read: { run: ({ emailSettings }) => emailSettings.read(domain.name) },
    put: { run: ({ emailSettings }) => emailSettings.put(emailSettingsOf({ domain: domain.name })) },
    remove: { run: ({ emailSettings }) => emailSettings.remove(domain.name) },
  },
  audit: {
    append: {
      run: ({ audit }) => audit.append(anAuditRecord()),
    },
    list: { run: ({ audit }) => audit.list('', { since: 0, newestFirst: true, limit: 9 }) },
  },
}

/** Calls that a test made in addition to those of the method. */
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

/** Another recording that has just been reported and claimed by an uploader. */
async function withRecording({ recordings }: CloudPorts): Promise<void> {
  recording = aRecording({ domain: recording.domain, uuid: randomUUID() })
  await recordings.expect(recording)
  await recordings.claim(recording, 'me', { now: 1, until: 2 })
}

/** A list of two entries whose time is over, and nothing else. */
async function withEndedEntries({ blacklists }: CloudPorts): Promise<void> {
  for (const list of ['spam', 'b']) await blacklists.removeList(domain.name, list)
  for (const number of ['1', '2']) {
    await blacklists.add(anEntry({ domain: domain.name, number, expires: 1 }), { entries: 9, lists: 9 })
  }
}

function systemText(bytes: number): string {
  return Buffer.from(systemRandomness.bytes(bytes)).toString('hex')
}

function routesExercises(of: (ports: CloudPorts) => RouteStore) {
  const route = () => aRoute({ domain: domain.name })
  return {
    list: { run: (ports: CloudPorts) => of(ports).list(domain.name) },
    callflows: { run: (ports: CloudPorts) => of(ports).callflows(domain.name, ['some']) },
    read: { run: (ports: CloudPorts) => of(ports).read(domain.name, 'some') },
    create: { run: (ports: CloudPorts) => of(ports).create(route(), 99) },
    replace: { run: (ports: CloudPorts) => of(ports).replace(route()) },
    swap: { run: (ports: CloudPorts) => of(ports).swap(route(), route(), 99) },
    remove: { run: (ports: CloudPorts) => of(ports).remove(route()) },
  }
}
