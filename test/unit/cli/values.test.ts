import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isoTime, readObject, readText, timeInPast } from '../../../cli/input/values.ts'

it.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31 12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:30+02:00', Date.UTC(2026, 0, 31, 10, 0, 30)],
])('the time %s is read', (text, time) => {
  expect([isoTime(text), timeInPast(text)]).toEqual([time, time])
})

it.each(['7', '30', '1/2/2026', 'May 5', '2026-13-01', ''])('the text %j is no time', (text) => {
  expect(() => isoTime(text)).toThrow('must be a time such as')
  expect(() => timeInPast(text)).toThrow('must be a time such as')
})

it('a span on the command line is a length of time before now', () => {
  expect(Math.abs(timeInPast('90m') - (Date.now() - 90 * 60_000))).toBeLessThan(60_000)
})

it('a file that is not UTF-8 is refused with its name and line, and a byte order mark is no part of a text', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-values-'))
  const file = join(folder, 'accounts.csv')
  const read = (bytes: Buffer) => {
    writeFileSync(file, bytes)
    return readText(file)
  }
  try {
    expect(() => read(Buffer.from('login,password\n1005,p\u00e4ssw\u00f6rd\n', 'latin1'))).toThrow(
      `${file} is not UTF-8, see line 2: save it as UTF-8`,
    )
    expect(() => read(Buffer.from('\ufefflogin\n', 'utf16le'))).toThrow('is not UTF-8, see line 1')
    expect(read(Buffer.from('\ufeffp\u00e4ss\ufffd'))).toBe('p\u00e4ss\ufffd')
    writeFileSync(file, '\ufeff{"a":1}')
    expect(readObject(file)).toEqual({ a: 1 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
