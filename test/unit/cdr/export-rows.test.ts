import { describe, expect, it } from 'vitest'
import { exportLines } from '../../../core/cdr/exports/export-rows.ts'
import { aCdr } from '../../support/records/cdrs.ts'

const columns = ['created_time', 'caller_id_name', 'duration', 'recordings.name', 'variables.note']
const recordings = ['one.wav', 'two.wav'].map((name) => ({
  name,
  contentType: 'audio/wav',
  size: 1,
  state: 'stored' as const,
}))

describe('lines of CSV', () => {
  const { heading, line } = exportLines('csv', columns)

  it('the lines of a CSV export begin with the names of the columns', () => {
    expect(heading).toBe('created_time,caller_id_name,duration,recordings.name,variables.note\r\n')
  })

  it('the lines of a CSV export have dates in ISO 8601, several values in one cell, and nothing for a missing field', () => {
    const cdr = aCdr({ created_time: 0, caller_id_name: undefined, duration: 7, recordings, variables: { note: 'x' } })

    expect(line(cdr)).toBe('1970-01-01T00:00:00.000Z,,7,one.wav; two.wav,x\r\n')
  })

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+1+cmd|x', "'+1+cmd|x"],
    ['-1-2', "'-1-2"],
    ['\tx', "'\tx"],
    ['\n=1', `"'\n=1"`],
    ['＝1+1', "'＝1+1"],
    ['－1－2', "'－1－2"],
    ['+49 30 1234', '+49 30 1234'],
    ['-5', '-5'],
    ['Zoë 中 🙂', 'Zoë 中 🙂'],
    ['', ''],
  ])('a CSV export writes %j as %j', (name, written) => {
    expect(exportLines('csv', ['caller_id_name']).line(aCdr({ caller_id_name: name }))).toBe(`${written}\r\n`)
  })
})

describe('JSON lines', () => {
  const { heading, line } = exportLines('jsonl', columns)

  it('the lines of a JSON export have the non-empty fields of the CDR in the order of the columns, without a heading', () => {
    const cdr = aCdr({ created_time: 0, caller_id_name: 'a\n"b"', duration: undefined, recordings, variables: {} })

    expect(heading).toBe('')
    expect(line(cdr)).toBe(
      '{"created_time":"1970-01-01T00:00:00.000Z","caller_id_name":"a\\n\\"b\\"","recordings.name":["one.wav","two.wav"]}\n',
    )
  })
})
