import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { isCdrRetention } from '../../../core/client-names/domain-parameters.ts'
import { removeExpiredCdrs } from '../../../core/cdr/retention/remove-expired-cdrs.ts'
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
    run: (cdrDays = 400, ms = 60_000) =>
      removeExpiredCdrs({ ...ports, clock, cdrDays, graceMs: 120_000 }, clock.now() + ms),
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
