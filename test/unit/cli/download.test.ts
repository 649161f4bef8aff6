import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { saveDownload } from '../../../cli/output/download.ts'
import { Output } from '../../../cli/output/output.ts'

let folder: string
const silent = { write: () => true }
const out = new Output({ json: false, colours: false, stdout: silent, stderr: silent })
const file = () => join(folder, 'call.wav')

/** An answer whose body breaks off after its first bytes. */
const brokenOff = () =>
  new Response(
    new ReadableStream({
      start: (body) => {
        body.enqueue(Buffer.from('RIFF'))
        body.error(new Error('the connection broke'))
      },
    }),
  )

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-download-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('a download is written to its file, and its bytes are counted', async () => {
  expect(await saveDownload(new Response('RIFF'), file(), out)).toBe(4)
  expect(readFileSync(file(), 'utf8')).toBe('RIFF')
})

it('a download that breaks off leaves no partial file', async () => {
  await expect(saveDownload(brokenOff(), file(), out)).rejects.toThrow('the connection broke')
  expect(readdirSync(folder)).toEqual([])
})

it.each([
  ['is complete', () => new Response('RIFF')],
  ['breaks off', brokenOff],
])('a file that is there stays as it is when a download that %s names it', async (_, answer) => {
  writeFileSync(file(), 'mine')

  await expect(saveDownload(answer(), file(), out)).rejects.toThrow('is there already')
  expect(readFileSync(file(), 'utf8')).toBe('mine')
})
