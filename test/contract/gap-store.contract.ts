import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aGap } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const day = 86_400_000

/** The contract of every {@link GapStore}. */
export function gapStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('gaps are listed from a moment on, by their beginning', async () => {
    const now = stores().clock.now()
    const [earlier, first, second] = [now - 1, now, now + 5].map((from) => aGap({ from, to: from + 1 }))
    const dropped = aGap({ from: now + 9, reason: 'dropped', dropped: { class: 'calls', count: 3 } })
    for (const gap of [dropped, second, earlier, first]) if (gap !== undefined) await stores().gaps.record(gap)

    expect(await stores().gaps.list(now)).toMatchObject([first, second, dropped])
    expect(await stores().gaps.list(now, 2)).toMatchObject([second, dropped])
    expect(await stores().gaps.list(now, 9)).toHaveLength(3)
  })

  test('the time at which a gap was noticed is that of its first record', async () => {
    const gap = aGap({ from: 8 })
    const recordedAt = stores().clock.now()
    await stores().gaps.record(gap)

    stores().clock.move(60_000)
    await stores().gaps.record(gap)

    expect((await stores().gaps.list(0)).filter(({ id }) => id === gap.id)).toEqual([{ ...gap, recordedAt }])
  })

  test('a gap has one record, whichever connectors record it, and only the first recorder gets true', async () => {
    const gap = aGap({ recordedBy: 'a', from: 7 })

    expect(await stores().gaps.record(gap)).toBe(true)
    expect(await stores().elsewhere.gaps.record({ ...gap, recordedBy: 'b' })).toBe(false)
    expect(await stores().gaps.record(gap)).toBe(true)

    expect((await stores().gaps.list(0)).filter(({ id }) => id === gap.id)).toMatchObject([gap])
  })

  test('one of several simultaneous recorders of a gap gets true', async () => {
    const gap = aGap()

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => stores().gaps.record({ ...gap, recordedBy: randomUUID() })),
    )

    expect(answers.filter((isHis) => isHis)).toHaveLength(1)
  })

  test('a gap is kept for a week at least', async () => {
    const gap = aGap({ from: stores().clock.now(), to: stores().clock.now() })
    await stores().gaps.record(gap)

    stores().clock.move(7 * day)

    expect(await stores().gaps.list(gap.from)).toContainEqual(expect.objectContaining(gap))
  })
}
