/** For lost-answers.test.ts: one call of each method of each port that writes. */
import { expect } from 'vitest'
import type { BegunAttempt, LoginThrottle } from '../../core/auth/login-throttle.ts'
import {
  aCommandRecord,
  aDelivery,
  aDomain,
  aDomainToken,
  aGap,
  aHook,
  aKnownCall,
  aPlacedCall,
  aPresence,
  aRecording,
  aReport,
  aRequestKey,
  aRoute,
  aStoredObject,
  aToken,
  anAccount,
  anAuditRecord,
  anEntry,
  anErasure,
  anEvent,
  anExport,
  aDomainVersion,
  aGateway,
  aGatewayState,
  emailSettingsOf,
} from '../support/records/records.ts'
import type { StorePorts } from '../support/stores/stores.ts'

/** A write, what must be there before, and what it answers. */
export interface Write {
  readonly first?: (stores: StorePorts) => Promise<unknown>
  readonly write: (stores: StorePorts) => Promise<unknown>
  readonly answer?: unknown
}

const domain = 'a.example.com'
/** The time of all writes. */
export const now = Date.UTC(2026, 0, 15, 12)
const [domainRecord, account, token, domainToken] = [aDomain(), anAccount(), aToken(), aDomainToken()]
const [hook, delivery, command, key] = [aHook(), aDelivery(), aCommandRecord(), aRequestKey()]
const [route, other, entry, settings] = [aRoute(), aRoute({ order: 7 }), anEntry(), emailSettingsOf()]
const recording = aRecording()
const drop = { engine: 'fs1', domain, login: '1000', deletedAt: 1, command: 'c1' }
const knownCall = aKnownCall({ domain })
const placedCall = aPlacedCall({ domain })
const exported = anExport({ createdAt: now })
const erased = anErasure({ createdAt: now })
const factor = { sealed: 'sealed', isOn: true, usedStep: 1 }
const logged = anEvent()
const limits = { entries: 9, lists: 9 }
const second = { ...entry, id: 'f'.repeat(24), number: '2' }
const room = { limit: 2, since: now - 1000 }

const withDomain = (stores: StorePorts) => stores.domains.create(domainRecord)
const withAccount = async (stores: StorePorts) => {
  await withDomain(stores)
  await stores.accounts.create({ ...account, secondFactor: factor }, 9)
}
const withRecording = async ({ recordings }: StorePorts) => {
  await recordings.expect(recording)
  await recordings.claim(recording, 'me', { now, until: now + 60_000 })
}
const routeWrites = (port: 'defaultRoutes' | 'publicRoutes'): Readonly<Record<string, Write>> => {
  const first = async (stores: StorePorts) => {
    await stores[port].create(route, 0)
    await stores[port].create(other, 1)
  }
  const renamed = { ...route, name: 'other', revision: route.revision + 1 }
  return {
    [`${port}.create`]: { write: (stores) => stores[port].create(route, 0), answer: true },
    [`${port}.replace`]: { first, write: (stores) => stores[port].replace(renamed), answer: true },
    [`${port}.swap`]: { first, write: (stores) => stores[port].swap(route, other, 2), answer: true },
    [`${port}.remove`]: { first, write: (stores) => stores[port].remove(route), answer: true },
  }
}

/** By port and method, and by what is special where one method writes in several ways. */
export const writes: Readonly<Record<string, Write>> = {
  'domains.create': { write: withDomain, answer: true },
  'domains.replaceSettings': {
    first: withDomain,
    write: ({ domains }) => domains.replaceSettings({ ...domainRecord, variables: { a: '1' }, version: 2 }),
    answer: true,
  },
  'domains.beginDeletion': {
    first: withDomain,
    write: ({ domains }) => domains.beginDeletion(domain, now),
    answer: true,
  },
  'domains.endDeletion': {
    first: async (stores) => [await withDomain(stores), await stores.domains.beginDeletion(domain, now)],
    write: ({ domains }) => domains.endDeletion(domain),
  },
  'tenantData.purge': {
    first: async (stores) => [await withAccount(stores), await stores.tokens.create(token, 9)],
    write: ({ tenantData }) => tenantData.purge(domain, now + 60_000),
    answer: true,
  },
  'roles.write first': { write: ({ roles }) => roles.write({ domain, roles: [], version: 1 }), answer: true },
  'roles.write again': {
    first: ({ roles }) => roles.write({ domain, roles: [], version: 1 }),
    write: ({ roles }) => roles.write({ domain, roles: [], version: 2 }),
    answer: true,
  },
  'accounts.create': {
    first: withDomain,
    write: ({ accounts }) => accounts.create(account, 9),
    answer: 'created',
  },
  'accounts.update': {
    first: withAccount,
    write: ({ accounts }) => accounts.update({ ...account, numbers: ['77'], version: 2 }, account),
    answer: 'updated',
  },
  'accounts.remove': { first: withAccount, write: ({ accounts }) => accounts.remove(account), answer: true },
  'accounts.useCode': {
    first: withAccount,
    write: ({ accounts }) => accounts.useCode({ ...account, secondFactor: factor }, 2),
    answer: true,
  },
  'tokens.create': { write: ({ tokens }) => tokens.create(token, 9) },
  'tokens.create above the limit': {
    first: ({ tokens }) => tokens.create(token, 9),
    write: ({ tokens }) => tokens.create({ ...token, key: 'newer', createdAt: token.createdAt + 1 }, 1),
  },
  'tokens.remove': {
    first: ({ tokens }) => tokens.create(token, 9),
    write: ({ tokens }) => tokens.remove(token.domain, token.login, token.key),
    answer: true,
  },
  'domainTokens.create': { write: ({ domainTokens }) => domainTokens.create(domainToken, 1), answer: true },
  'domainTokens.setEnabled': {
    first: ({ domainTokens }) => domainTokens.create(domainToken, 1),
    write: ({ domainTokens }) => domainTokens.setEnabled(domain, domainToken.uuid, false),
    answer: { ...domainToken, enabled: false },
  },
  'domainTokens.remove': {
    first: ({ domainTokens }) => domainTokens.create(domainToken, 1),
    write: ({ domainTokens }) => domainTokens.remove(domain, domainToken.uuid),
    answer: true,
  },
  'sessions.touch': { write: ({ sessions }) => sessions.touch('1000@a.example.com', domain, now) },
  'sessions.meet': { write: ({ sessions }) => sessions.meet('1000@a.example.com', '192.0.2.1', now), answer: true },
  'sessions.count': {
    first: ({ sessions }) => sessions.touch('1000@a.example.com', domain, now),
    write: ({ sessions }) => sessions.count(now),
    answer: { users: 1, domains: 1, highest: 1 },
  },
  'loginThrottle.remember': {
    first: ({ loginThrottle }) => loginThrottle.remember(account, '192.0.2.0/24', now, 1),
    write: ({ loginThrottle }) => loginThrottle.remember(account, '198.51.100.0/24', now + 1, 1),
  },
  'loginThrottle.begin': {
    write: ({ loginThrottle }) => loginThrottle.begin('user', room, now),
    answer: { attempt: expect.anything() },
  },
  'loginThrottle.settle': {
    write: ({ loginThrottle }) => begun(loginThrottle, (attempt) => loginThrottle.settle(attempt)),
  },
  'loginThrottle.release': {
    write: ({ loginThrottle }) => begun(loginThrottle, (attempt) => loginThrottle.release(attempt)),
  },
  'loginThrottle.clear': {
    first: ({ loginThrottle }) => loginThrottle.begin('user', room, now),
    write: ({ loginThrottle }) => loginThrottle.clear('user'),
  },
  'presence.put': { write: ({ presence }) => presence.put(aPresence()) },
  'commands.create': { write: ({ commands }) => commands.create(command), answer: true },
  'commands.claim': {
    first: ({ commands }) => commands.create(command),
    write: ({ commands }) => commands.claim(command.id, 'connector'),
    answer: true,
  },
  'commands.withdraw': {
    first: ({ commands }) => commands.create(command),
    write: ({ commands }) => commands.withdraw(command.id),
    answer: true,
  },
  'commands.complete': {
    first: ({ commands }) => commands.create(command),
    write: ({ commands }) => commands.complete(command.id, { state: 'done', text: '+OK' }),
  },
  'commands.endClaimsOf': {
    first: async ({ commands }) => [await commands.create(command), await commands.claim(command.id, 'gone')],
    write: ({ commands }) => commands.endClaimsOf('gone', now + 1),
    // The number is for the log, and may be too low.
    answer: { ended: expect.any(Number), more: false },
  },
  'commands.addUnregistrations': { write: ({ commands }) => commands.addUnregistrations([drop]) },
  'commands.endUnregistration': {
    first: ({ commands }) => commands.addUnregistrations([drop]),
    write: ({ commands }) => commands.endUnregistration(drop),
  },
  'commands.keepAlias': { write: ({ commands }) => commands.keepAlias('chosen', 'actual') },
  'hooks.create': { write: ({ hooks }) => hooks.create([hook], 1), answer: true },
  'hooks.replace': {
    first: ({ hooks }) => hooks.create([hook], 1),
    write: ({ hooks }) => hooks.replace({ ...hook, version: 2 }),
    answer: true,
  },
  'hooks.remove': {
    first: ({ hooks }) => hooks.create([hook], 1),
    write: ({ hooks }) => hooks.remove(hook),
    answer: true,
  },
  'hooks.countFailure': {
    first: ({ hooks }) => hooks.create([hook], 1),
    write: async ({ hooks }) => (await hooks.countFailure(domain, hook.id, { delivery: delivery.id, at: now }))?.id,
    answer: hook.id,
  },
  'hooks.clearFailures': {
    first: async ({ hooks }) => [
      await hooks.create([hook], 1),
      await hooks.countFailure(domain, hook.id, { delivery: delivery.id, at: now }),
    ],
    write: ({ hooks }) => hooks.clearFailures(domain, hook.id),
  },
  'hooks.noteLate': {
    first: ({ hooks }) => hooks.create([hook], 1),
    write: ({ hooks }) => hooks.noteLate(hook, now),
  },
  'hooks.renewNotice': {
    first: ({ hooks }) => hooks.create([hook], 1),
    write: ({ hooks }) => hooks.renewNotice(hook, 1),
    answer: true,
  },
  'hooks.endNotice': {
    first: ({ hooks }) => hooks.create([{ ...hook, noticeDue: true }], 1),
    write: ({ hooks }) => hooks.endNotice(hook),
    answer: true,
  },
  'blacklists.add to no list': { write: ({ blacklists }) => blacklists.add(entry, limits), answer: 'added' },
  'blacklists.add': {
    first: ({ blacklists }) => blacklists.add(entry, limits),
    write: ({ blacklists }) => blacklists.add(second, { entries: 2, lists: 1 }),
    answer: 'added',
  },
  'blacklists.remove': {
    first: async ({ blacklists }) => [await blacklists.add(entry, limits), await blacklists.add(second, limits)],
    write: ({ blacklists }) => blacklists.remove(domain, entry.list, entry.number),
    answer: true,
  },
  'blacklists.remove of the last entry': {
    first: ({ blacklists }) => blacklists.add(entry, limits),
    write: ({ blacklists }) => blacklists.remove(domain, entry.list, entry.number),
    answer: true,
  },
  'blacklists.removeList': {
    first: async ({ blacklists }) => [await blacklists.add(entry, limits), await blacklists.add(second, limits)],
    write: ({ blacklists }) => blacklists.removeList(domain, entry.list),
    answer: 2,
  },
  'blacklists.sweep': {
    first: async ({ blacklists }) => [
      await blacklists.add(entry, limits),
      await blacklists.removeList(domain, entry.list),
    ],
    write: ({ blacklists }) => blacklists.sweep(domain, now + 60_000),
    answer: true,
  },
  ...routeWrites('defaultRoutes'),
  ...routeWrites('publicRoutes'),
  'deliveries.create': { write: ({ deliveries }) => deliveries.create(delivery), answer: true },
  'deliveries.keepEvent': { write: ({ deliveries }) => deliveries.keepEvent(anEvent()) },
  'deliveries.beginAttempt': {
    first: ({ deliveries }) => deliveries.create(delivery),
    write: ({ deliveries }) => deliveries.beginAttempt(delivery, 'run', now),
    answer: true,
  },
  'deliveries.createTogether': {
    write: ({ deliveries }) => deliveries.createTogether([delivery]),
    answer: true,
  },
  'deliveries.recordTogether': {
    first: ({ deliveries }) => deliveries.create({ ...delivery, begun: { run: now } }),
    write: ({ deliveries }) =>
      deliveries.recordTogether([
        { delivery, outcome: { run: 'run', attempt: { at: now, durationMs: 1 }, state: 'failed' } },
      ]),
    answer: true,
  },
  'deliveries.reschedule': {
    first: ({ deliveries }) => deliveries.create(delivery),
    write: ({ deliveries }) => deliveries.reschedule(delivery, now + 60_000),
    answer: true,
  },
  'deliveries.reopen': {
    first: ({ deliveries }) => deliveries.create({ ...delivery, state: 'failed', tries: 1 }),
    write: async ({ deliveries }) => (await deliveries.reopen({ ...delivery, tries: 1 }, now))?.state,
    answer: 'pending',
  },
  'connectorStatus.report': { write: ({ connectorStatus }) => connectorStatus.report(aReport()) },
  'connectorStatus.noteWait': {
    write: ({ connectorStatus }) => connectorStatus.noteWait({ stage: 'deliver', ageMs: 1, at: now }),
  },
  'connectorStatus.countStart': { write: ({ connectorStatus }) => connectorStatus.countStart(), answer: 0 },
  'gaps.record': { write: ({ gaps }) => gaps.record(aGap()), answer: true },
  'eventLogWriter.write': {
    write: ({ eventLogWriter }) => {
      const taken = { domain: 'a.example.com', first: 1, count: 1, takenAt: 1, unwatched: undefined }
      return eventLogWriter
        .write(taken, [{ event: logged, sequence: 1, isWanted: false, deliveries: [delivery] }])
        .then((given) => given?.get(logged.id))
    },
    answer: { sequence: 1, isNew: true },
  },
  'idempotency.create': { write: ({ idempotency }) => idempotency.create(key), answer: undefined },
  'idempotency.takeOver': {
    first: ({ idempotency }) => idempotency.create(key),
    write: ({ idempotency }) => idempotency.takeOver({ ...key, claimId: 'next' }, key.claimId),
    answer: true,
  },
  'idempotency.complete': {
    first: ({ idempotency }) => idempotency.create(key),
    write: ({ idempotency }) => idempotency.complete(key, 'answer'),
    answer: true,
  },
  'idempotency.release': {
    first: ({ idempotency }) => idempotency.create(key),
    write: ({ idempotency }) => idempotency.release(key),
  },
  'rateLimits.take from a whole allowance': {
    write: ({ rateLimits }) => rateLimits.take('token:a', { intervalMs: 1000, burst: 3 }, now),
    answer: expect.objectContaining({ isAllowed: true, remaining: 2 }),
  },
  'rateLimits.take': {
    first: ({ rateLimits }) => rateLimits.take('token:a', { intervalMs: 1000, burst: 3 }, now),
    write: ({ rateLimits }) => rateLimits.take('token:a', { intervalMs: 1000, burst: 3 }, now),
    answer: expect.objectContaining({ isAllowed: true, remaining: 1 }),
  },
  'rateLimits.enter': {
    write: async ({ rateLimits }) =>
      (await rateLimits.enter('searching:a', { limit: 1, leaseMs: 9 }, now)) !== undefined,
    answer: true,
  },
  'rateLimits.leave': {
    first: ({ rateLimits }) => rateLimits.enter('searching:a', { limit: 1, leaseMs: 9 }, now),
    write: ({ rateLimits }) => rateLimits.leave('searching:a', '0:nobody'),
  },
  'rateLimits.takeInWindow': {
    write: ({ rateLimits }) => rateLimits.takeInWindow('mail:a', { limit: 3, windowMs: 1000 }, now),
    answer: expect.objectContaining({ isAllowed: true }),
  },
  'gatewayStates.put': { write: ({ gatewayStates }) => gatewayStates.put([aGatewayState({ domain })]) },
  'gatewayStates.remove': {
    first: ({ gatewayStates }) => gatewayStates.put([aGatewayState({ domain })]),
    write: ({ gatewayStates }) => gatewayStates.remove([aGatewayState({ domain })]),
  },
  'knownCalls.put': { write: ({ knownCalls }) => knownCalls.put(knownCall) },
  'knownCalls.put an end': {
    first: ({ knownCalls }) => knownCalls.put(knownCall),
    write: ({ knownCalls }) => knownCalls.put({ ...knownCall, state: 'ended' }),
  },
  'knownCalls.remove': {
    first: ({ knownCalls }) => knownCalls.put(knownCall),
    write: ({ knownCalls }) => knownCalls.remove([knownCall]),
  },
  'knownCalls.place': { write: ({ knownCalls }) => knownCalls.place(placedCall) },
  'knownCalls.answered': {
    first: ({ knownCalls }) => knownCalls.place(placedCall),
    write: ({ knownCalls }) => knownCalls.answered(placedCall, placedCall.showsBy + 1),
  },
  'knownCalls.unplace': {
    first: ({ knownCalls }) => knownCalls.place(placedCall),
    write: ({ knownCalls }) => knownCalls.unplace(placedCall),
  },
  'knownCalls.unplace of a reported call': {
    first: async ({ knownCalls }) => {
      await knownCalls.place({ ...placedCall, uuid: knownCall.uuid })
      await knownCalls.put(knownCall)
    },
    write: ({ knownCalls }) => knownCalls.unplace(knownCall),
  },
  'recordings.expect': {
    write: async ({ recordings }) => (await recordings.expect(recording)).version,
    answer: 1,
  },
  'recordings.claim': {
    first: ({ recordings }) => recordings.expect(recording),
    write: async ({ recordings }) => (await recordings.claim(recording, 'me', { now, until: now + 1 }))?.claim,
    answer: { by: 'me', until: now + 1 },
  },
  'recordings.renew': {
    first: withRecording,
    write: ({ recordings }) => recordings.renew(recording, 'me', now + 90_000, 'upload-1'),
    answer: true,
  },
  'recordings.release': { first: withRecording, write: ({ recordings }) => recordings.release(recording, 'me') },
  'recordings.markStored': {
    first: withRecording,
    write: ({ recordings }) => recordings.markStored(recording, 'me', aStoredObject()),
    answer: 'stored',
  },
  'recordings.markFailed': {
    first: ({ recordings }) => recordings.expect(recording),
    write: ({ recordings }) => recordings.markFailed(recording, now),
    answer: true,
  },
  'recordings.markDeleted': {
    first: withRecording,
    write: ({ recordings }) => recordings.markDeleted(recording, now),
    answer: 'deleted',
  },
  'recordings.markRemoved': {
    first: async (stores) => [
      await stores.recordings.expect(recording),
      await stores.recordings.markDeleted(recording, now),
    ],
    write: ({ recordings }) => recordings.markRemoved(recording, now),
    answer: true,
  },
  'recordings.setHold': {
    first: withRecording,
    write: async ({ recordings }) => (await recordings.setHold(recording, true))?.isHeld,
    answer: true,
  },
  'recordings.leave': {
    write: ({ recordings }) => recordings.leave({ domain: recording.domain, retentionDays: 30, leftAt: now }),
  },
  'recordings.leave again': {
    first: ({ recordings }) => recordings.leave({ domain: recording.domain, retentionDays: 30, leftAt: now }),
    write: ({ recordings }) => recordings.leave({ domain: recording.domain, retentionDays: 60, leftAt: now + 1 }),
  },
  'recordings.forgetLeft': {
    first: ({ recordings }) => recordings.leave({ domain: recording.domain, retentionDays: 30, leftAt: now }),
    write: ({ recordings }) => recordings.forgetLeft(recording.domain, now + 1),
  },
  'exports.remove': {
    first: ({ exports }) => exports.create(exported),
    write: ({ exports }) => exports.remove(exported),
  },
  'erasures.create': { write: ({ erasures }) => erasures.create(erased) },
  'erasures.replace': {
    first: ({ erasures }) => erasures.create(erased),
    write: ({ erasures }) => erasures.replace({ ...erased, state: 'running', version: 2 }),
    answer: true,
  },
  'erasures.mark': { write: ({ erasures }) => erasures.mark(domain, ['u1', 'u2']) },
  'eventTraces.removeEvents': {
    first: ({ deliveries }) => deliveries.keepEvent(logged),
    write: ({ eventTraces }) => eventTraces.removeEvents(logged.domain, [{ place: '', event: logged }]),
  },
  'eventTraces.removeDeliveries': {
    first: ({ deliveries }) => deliveries.create(delivery),
    write: ({ eventTraces }) => eventTraces.removeDeliveries([delivery]),
  },
  'exports.create': { write: ({ exports }) => exports.create(exported) },
  'exports.replace': {
    first: ({ exports }) => exports.create(exported),
    write: ({ exports }) => exports.replace({ ...exported, state: 'running', version: 2 }),
    answer: true,
  },
  'gateways.create': { write: ({ gateways }) => gateways.create(aGateway(), 9), answer: 'created' },
  'gateways.replace': {
    first: ({ gateways }) => gateways.create(aGateway(), 9),
    write: ({ gateways }) => gateways.replace(aGateway({ version: 2 })),
    answer: true,
  },
  'gateways.remove': {
    first: ({ gateways }) => gateways.create(aGateway(), 9),
    write: ({ gateways }) => gateways.remove(aGateway()),
    answer: true,
  },
  'emailSettings.put first': { write: ({ emailSettings }) => emailSettings.put(settings), answer: true },
  'emailSettings.put again': {
    first: ({ emailSettings }) => emailSettings.put(settings),
    write: ({ emailSettings }) => emailSettings.put({ ...settings, version: 2 }),
    answer: true,
  },
  'emailSettings.remove': {
    first: ({ emailSettings }) => emailSettings.put(settings),
    write: ({ emailSettings }) => emailSettings.remove(domain),
    answer: 'removed',
  },
  'emailSettings.remove of a version': {
    first: ({ emailSettings }) => emailSettings.put(settings),
    write: ({ emailSettings }) => emailSettings.remove(domain, settings.version),
    answer: 'removed',
  },
  'domainVersions.create': {
    write: ({ domainVersions }) => domainVersions.create(aDomainVersion({ domain, createdAt: now }), 3),
    answer: true,
  },
  'audit.append': { write: ({ audit }) => audit.append(anAuditRecord()) },
}

/** Begins an attempt and goes on with it. */
async function begun(throttle: LoginThrottle, next: (attempt: BegunAttempt) => Promise<void>): Promise<void> {
  const beginning = await throttle.begin('user', room, now)
  if ('attempt' in beginning) await next(beginning.attempt)
}
