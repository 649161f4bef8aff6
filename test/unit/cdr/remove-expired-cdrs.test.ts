import { describe, expect, it, vi } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { isCdrRetention } from '../../../core/client-names/domain-parameters.ts'
import { latestReportMs, longestCallMs } from '../../../core/cdr/cdr-of-end.ts'
import { removeExpiredCdrs } from '../../../core/cdr/retention/remove-expired-cdrs.ts'
import type { DomainStore } from '../../../core/domains/domain-store.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { aCdr } from '../../support/records/cdrs.ts'
import { aDomain } from '../../support/records/records.ts'

const day = 86_400_000

/** Domains with CDRs of different ages, named by their days; `cdrDays` is 400 unless a test says otherwise. */
async function aPlatform(given: Readonly<Record<string, readonly number[]>>) {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const now = clock.now()
  for (const [domain, ages] of Object.entries(given)) {
    const parts = ages.map((days) => ({
      source: 'event' as const,
      cdr: aCdr({
        domain_name: domain,
        uuid: `${days}`,
        created_time: now - days * day,
        leg: days % 2 === 0 ? 'a' : 'b',
      }),
    }))
    await ports.cdrs.index(parts)
  }
  const create = (name: string, parameters: Record<string, string> = {}, createdAt = 1) =>
    ports.domains.create(aDomain({ name, parameters, createdAt }))
  return {
    ports,
    now,
    create,
    run: (cdrDays = 400, ms = 60_000, domains: Pick<DomainStore, 'list' | 'listDeleted'> = ports.domains) =>
      removeExpiredCdrs({ ...ports, domains, clock, cdrDays, graceMs: 120_000 }, clock.now() + ms),
    left: (domain: string) =>
      [...ports.state.cdrs.values()].flatMap(({ cdr }) => (cdr.domain_name === domain ? [Number(cdr.uuid)] : [])),
  }
}

describe('the removal of expired CDRs', () => {
  it('CDRs are kept for the days of the deployment, those of both legs and of domains that are gone', async () => {
    const { run, left, create } = await aPlatform({ 'a.example.com': [399, 401, 402], 'gone.example.com': [10, 450] })
    await create('a.example.com')

    expect(await run()).toEqual({ removed: 3, isCutShort: false })
    expect(left('a.example.com')).toEqual([399])
    expect(left('gone.example.com')).toEqual([10])
    await run(300)
    expect(left('a.example.com')).toEqual([])
  })

  it('a domain has its CDRs removed earlier or later by its parameter', async () => {
    const ages = [29, 31, 401, 3649, 3651]
    const { run, left, create } = await aPlatform({ 'short.test': ages, 'long.test': ages, 'wrong.test': ages })
    await create('short.test', { 'cdr-retention-days': '30' })
    await create('long.test', { 'cdr-retention-days': '3650' })
    await create('wrong.test', { 'cdr-retention-days': '7' })

    await run()
    expect(left('short.test')).toEqual([29])
    expect(left('long.test')).toEqual([29, 31, 401, 3649])
    expect(left('wrong.test')).toEqual([29, 31])
  })

  it('CDRs of a deleted domain are kept for its own days, while a later domain of the name has others', async () => {
    const { run, left, create, ports, now } = await aPlatform({ 'a.test': [5, 25, 35, 450], 'b.test': [35, 450] })
    await ports.recordings.leave({ domain: 'a.test', retentionDays: 1, cdrRetentionDays: 30, leftAt: now - 20 * day })
    await ports.recordings.leave({ domain: 'b.test', retentionDays: 1, cdrRetentionDays: 500, leftAt: now - 20 * day })
    await create('a.test', { 'cdr-retention-days': '365' }, now - 10 * day)

    await run()
    expect(left('a.test')).toEqual([5, 25])
    expect(left('b.test')).toEqual([35, 450])
  })

  it('CDRs of a domain under deletion are kept for its own days, and for those of an earlier one of its name', async () => {
    const ages = [5, 35, 450, 700]
    const { run, left, create, ports, now } = await aPlatform({
      'long.test': ages,
      'short.test': ages,
      'both.test': ages,
    })
    await create('long.test', { 'cdr-retention-days': '600' })
    await create('short.test', { 'cdr-retention-days': '30' })
    await create('both.test', { 'cdr-retention-days': '600' })
    await ports.recordings.leave({
      domain: 'both.test',
      retentionDays: 1,
      cdrRetentionDays: 30,
      leftAt: now - 40 * day,
    })
    for (const name of ['long.test', 'short.test', 'both.test']) await ports.domains.beginDeletion(name, now)

    await run()
    expect(left('long.test')).toEqual([5, 35, 450])
    expect(left('short.test')).toEqual([5])
    expect(left('both.test')).toEqual([5, 35, 450])
  })

  it('a domain whose deletion begins and ends during a run keeps its own days', async () => {
    const { run, left, create, ports, now } = await aPlatform({ 'a.test': [450] })
    await create('a.test', { 'cdr-retention-days': '600' })
    await ports.domains.beginDeletion('a.test', now)
    const list = () => ports.domains.list()
    const listDeleted = () => ports.domains.listDeleted()
    const end = async () => {
      await ports.recordings.leave({ domain: 'a.test', retentionDays: 1, cdrRetentionDays: 600, leftAt: now })
      await ports.domains.endDeletion('a.test')
    }
    const endedAfter =
      <A>(read: () => Promise<A>) =>
      async () => {
        const found = await read()
        await end()
        return found
      }

    for (const domains of [
      { list: endedAfter(list), listDeleted },
      { list, listDeleted: endedAfter(listDeleted) },
    ]) {
      await run(400, 60_000, domains)
      expect(left('a.test')).toEqual([450])
    }
  })

  it.each([
    ['none of its own first', [undefined, 30]],
    ['none of its own last', [30, undefined]],
    ['none of its own between others', [30, undefined, 90]],
  ])('of earlier domains of one name the longest retention counts, the usual one too: %s', async (_, all) => {
    const { run, left, ports, now } = await aPlatform({ 'a.test': [35, 399, 401] })
    for (const cdrRetentionDays of all)
      await ports.recordings.leave({ domain: 'a.test', retentionDays: 1, cdrRetentionDays, leftAt: now - day })

    await run()
    expect(left('a.test')).toEqual([35, 399])
    await run(60)
    expect(left('a.test')).toEqual([35])
  })

  it('an empty index is removed only when no CDR can be written into it any more', async () => {
    const { run, ports, now } = await aPlatform({})
    const removeEmpty = vi.spyOn(ports.cdrAdmin, 'removeEmpty')

    await run()
    expect(removeEmpty.mock.calls).toEqual([[now - longestCallMs - latestReportMs]])
  })

  it('a run whose time is over says so, and removes nothing more', async () => {
    const { run, left } = await aPlatform({ 'a.test': [500] })

    expect(await run(400, 0)).toEqual({ removed: 0, isCutShort: true })
    expect(left('a.test')).toEqual([500])
  })

  it.each([
    ['30', true],
    ['3650', true],
    ['29', false],
    ['3651', false],
    ['1e3', false],
    ['', false],
  ])('a retention of CDRs of %j days is usable: %s', (text, isUsable) => {
    expect(isCdrRetention(text)).toBe(isUsable)
  })
})
