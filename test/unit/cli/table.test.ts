import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Column, type Columns, fitTable, tableLines } from '../../../cli/output/table.ts'
import { widthOf } from '../../../cli/output/text-width.ts'
import { clockTime, relativeTime } from '../../../cli/output/time.ts'

type Row = readonly string[]

const linesOf = (rows: readonly Row[], columns: Columns<Row>, width: number) => {
  const table = fitTable(rows, columns, width, (value) => String(value ?? ''))
  return { ...table, lines: tableLines(table, rows.length, (text) => text) }
}

const column = (index: number, more: Partial<Column<Row>> = {}): Column<Row> => ({ of: (row) => row[index], ...more })

it('columns of the highest rank are dropped, and what is left is shortened, until a table fits', () => {
  const rows = [['5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11', 'a long description of it', 'note']]
  const columns = { id: column(0, { look: 'id' }), text: column(1, { least: 8 }), note: column(2, { rank: 1 }) }

  expect([70, 40, 24, 18].map((width) => linesOf(rows, columns, width).lines[1])).toEqual([
    '5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11  a long description of it  note',
    '5f0d3b1e  a long description of it  note',
    '5f0d3b1e  a long …  note',
    '5f0d3b1e  a long …',
  ])
  expect(linesOf(rows, columns, 18).dropped).toEqual(['note'])
})

it('no line of a table with shortenable columns is wider than the terminal, whatever the values', () => {
  const value = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll(/\p{C}/gu, ''))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value, value, value), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 30, max: 200 }),
      (rows, width) => {
        const columns = {
          a: column(0, { least: 5 }),
          b: column(1, { least: 8, rank: 1 }),
          c: column(2, { look: 'id', rank: 2 }),
          d: column(3, { rank: 3 }),
        }
        const { lines } = linesOf(rows, columns, width)
        expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
      },
    ),
  )
})

it('characters of East Asia take two columns, and marks none', () => {
  const rows = [
    ['山田太郎', 'x'],
    ['e\u0301a', 'y'],
  ]

  expect(linesOf(rows, { name: column(0), mark: column(1) }, 80).lines.slice(1)).toEqual([
    '山田太郎  x',
    'e\u0301a        y',
  ])
  expect(linesOf(rows, { name: column(0, { least: 4 }), mark: column(1) }, 11).lines[1]).toBe('山田…  x')
})

it('a time of today has no date, another day no seconds, and another year no time', () => {
  const now = Date.UTC(2026, 0, 15, 12)
  const clock = { now: () => now, aheadOfUtc: () => 3_600_000 }

  expect(
    [now - 80_000, now - 12 * 3_600_000, now - 13.5 * 3_600_000, now - 300 * 86_400_000].map((at) =>
      clockTime(at, clock),
    ),
  ).toEqual(['12:58:40', '01:00:00', '14 Jan 23:30', '21 Mar 2025'])
  expect([now - 80_000, now + 30 * 3_600_000].map((at) => relativeTime(at, clock))).toEqual(['1 min ago', 'in 30 h'])
})
