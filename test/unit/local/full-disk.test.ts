import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { DomainError } from '../../../core/errors.ts'
import { openLog } from '../../../packages/laptop/processes/log-file.ts'
import { endInWords } from '../../../local/processes/end-in-words.ts'
import { PlainError } from '../../../packages/laptop/processes/plain-error.ts'

it.runIf(existsSync('/dev/full'))('a log whose disk is full is told of once, and its writers go on', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const log = openLog('/dev/full')
  const output = new PassThrough()
  output.pipe(log, { end: false })

  for (let line = 0; line < 1000; line += 1) output.write('x'.repeat(1000))
  output.end()
  await once(output, 'end')
  log.end()
  await once(log, 'close')

  expect(printed.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/^\/dev\/full is not written for now: ENOSPC/),
  ])
  vi.restoreAllMocks()
})

it('a log is appended to, in the order of the writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const path = join(folder, 'a.log')
  for (const run of ['first', 'second']) {
    const log = openLog(path)
    log.write(`${run} one\n`)
    log.end(`${run} two\n`)
    await once(log, 'close')
  }

  expect(readFileSync(path, 'utf8')).toBe('first one\nfirst two\nsecond one\nsecond two\n')
  rmSync(folder, { recursive: true })
})

it('a platform that ends says in one sentence what a person can do, and shows any other error whole', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const files = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })

  const away = new DomainError('store_unavailable', 'the store does not answer')
  expect(endInWords(away)).toMatch(/^callplane: the store did not answer while the platform began: start again \(/)
  expect(endInWords(full)).toBe(`callplane: the disk is full: make room, then start again (${full})`)
  expect(endInWords(files)).toMatch(/^callplane: too many files are open: raise the limit \(ulimit -n\)/)
  expect(endInWords(new PlainError('port 80 is in use'))).toBe('callplane: port 80 is in use')
  expect(endInWords(new Error('a fault'))).toMatch(/Error: a fault\n\s+at /)
})
