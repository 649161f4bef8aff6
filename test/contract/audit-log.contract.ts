import { expect, test } from 'vitest'
import type { AuditRange } from '../../core/audit/audit-log.ts'
import { opened } from '../support/processes/opened.ts'
import { anAuditRecord } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

/** The contract of every {@link AuditLog}. */
export function auditLogContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const all: AuditRange = { since: 0, newestFirst: true, limit: 1000 }

  /** Writes lines a second apart, the oldest first. */
  async function written(domain: string, count: number) {
    const start = stores().clock.now()
    const records = Array.from({ length: count }, (_, index) => anAuditRecord({ domain, at: start + index * 1000 }))
    for (const record of records) await stores().audit.append(record)
    return records
  }

  test('an audit record is read back unchanged', async () => {
    const record = anAuditRecord({ domain: 'whole.test', note: 'remarkable', fields: ['a', 'b'] })
    await stores().audit.append(record)

    expect(await stores().audit.list('whole.test', all)).toEqual([{ ...record, position: expect.any(String) }])
  })

  test('an audit record without a domain is not listed with those of any domain', async () => {
    const record = anAuditRecord({ domain: '', caller: 'root' })
    await stores().audit.append(record)

    expect(await stores().audit.list('', all)).toEqual([{ ...record, position: expect.any(String) }])
  })

  test('audit records are listed newest first or oldest first, as asked', async () => {
    const records = await written('order.test', 5)
    const times = async (range: AuditRange) => (await stores().audit.list('order.test', range)).map(({ at }) => at)

    expect(await times(all)).toEqual(records.map(({ at }) => at).toReversed())
    expect(await times({ ...all, newestFirst: false })).toEqual(records.map(({ at }) => at))
  })

  test.each([true, false])(
    'no line of the trail is lost or shown twice when it is read page by page (newest first: %s)',
    async (newestFirst) => {
      const domain = `pages-${newestFirst}.test`
      await written(domain, 7)
      const seen: number[] = []
      let after: string | undefined
      for (;;) {
        const page = await stores().audit.list(domain, { since: 0, newestFirst, limit: 3, after })
        seen.push(...page.map(({ at }) => at))
        after = page.at(-1)?.position
        if (page.length < 3) break
      }

      const whole = await stores().audit.list(domain, { ...all, newestFirst })
      expect(seen).toEqual(whole.map(({ at }) => at))
      expect(seen).toHaveLength(7)
    },
  )

  test('two audit records of the same moment and request are both kept', async () => {
    const record = anAuditRecord({ domain: 'same.test' })
    for (let count = 0; count < 3; count += 1) await stores().audit.append(record)

    expect(await stores().audit.list('same.test', all)).toHaveLength(3)
  })

  test('audit records before the requested moment are not listed', async () => {
    const [, second, third] = await written('since.test', 3)

    const shown = await stores().audit.list('since.test', { ...all, since: second?.at ?? 0 })

    expect(shown.map(({ at }) => at)).toEqual([third?.at, second?.at])
  })

  test('a list position of another domain reveals no audit record of that domain', async () => {
    await written('mine.test', 2)
    await written('mine.test.org', 2)
    const [other] = await stores().audit.list('mine.test.org', all)

    const shown = await stores().audit.list('mine.test', { ...all, newestFirst: false, after: other?.position })

    expect(shown.every(({ domain }) => domain === 'mine.test')).toBe(true)
  })

  test('an audit record is listed for 400 days', async () => {
    const [record] = await written('old.test', 1)

    stores().clock.move(400 * DAY_MS - 1000)
    const before = await stores().audit.list('old.test', all)
    stores().clock.move(2000)

    expect(before.map(({ at }) => at)).toEqual([record?.at])
    expect(await stores().audit.list('old.test', all)).toEqual([])
  })

  test('a long audit trail is read past one page of the store', async () => {
    const start = stores().clock.now()
    const path = `/${'x'.repeat(8_000)}`
    for (let index = 0; index < 200; index += 1) {
      await stores().audit.append(anAuditRecord({ domain: 'long.test', at: start + index, path }))
    }

    const shown = await stores().audit.list('long.test', { ...all, limit: 180 })

    expect(shown.map(({ at }) => at - start)).toEqual(Array.from({ length: 180 }, (_, index) => 199 - index))
  })
}
