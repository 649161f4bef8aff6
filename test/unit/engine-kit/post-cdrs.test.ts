import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

const script = new URL('../../../engine/bin/post-cdrs', import.meta.url).pathname
const done: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of done.splice(0)) await end()
})

/**
 * Runs the script over files of these names that were written a number of minutes ago; answers what was posted, what is
 * left and what it said. By default it takes files of any age.
 */
async function post(names: readonly string[], status = 200, minutesAgo?: readonly number[]) {
  const posted: string[] = []
  const server = createServer((request, response) => {
    posted.push(new URL(request.url ?? '', 'http://x').searchParams.get('uuid') ?? '')
    request.resume().on('end', () => response.writeHead(status).end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const work = await mkdtemp(join(tmpdir(), 'post-cdrs-'))
  done.push(
    async () => server.close(),
    async () => rm(work, { recursive: true }),
  )
  const folder = join(work, 'cdrs')
  await mkdir(folder)
  await writeFile(join(work, 'config'), 'user = "engine:secret"\n')
  for (const [index, name] of names.entries()) {
    await writeFile(join(folder, `${name}.cdr.json`), '{}')
    const at = Date.now() / 1_000 - (minutesAgo?.[index] ?? 0) * 60
    await utimes(join(folder, `${name}.cdr.json`), at, at)
  }
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { stderr } = await promisify(execFile)(
    'sh',
    [script, folder, `http://127.0.0.1:${port}/`, join(work, 'config')],
    {
      env: { ...process.env, ...(minutesAgo === undefined ? { POST_CDRS_MIN_AGE_MINUTES: '-1' } : {}) },
    },
  )
  const left = (await readdir(folder)).filter((name) => name !== 'refused')
  return { posted: posted.toSorted(), left, refused: await readdir(join(folder, 'refused')), stderr }
}

test('the file of a call is posted whatever its engine takes for an id', async () => {
  const ids = ['12345678', 'a84b4c76e66710@pc33.example.com', 'b~1+2:3.4-5_6', '822E9047-6A1E-4B1D-9F0E-2D0A4C5B6E7F']

  expect(await post(ids)).toEqual({ posted: ids.toSorted(), left: [], refused: [], stderr: '' })
})

test('a file that is not named after a call, or that the platform refuses, is named', async () => {
  const odd = await post(['a b'])
  expect(odd).toMatchObject({ posted: [], refused: ['a b.cdr.json'] })
  expect(odd.stderr).toContain('a b.cdr.json is not named after a call')

  const refused = await post(['12345678'], 400)
  expect(refused).toMatchObject({ posted: ['12345678'], refused: ['12345678.cdr.json'] })
  expect(refused.stderr).toContain('answered 400')
})

test('files of the last minute, which the engine may still be writing, are left for a later run', async () => {
  expect(await post(['12345678', '87654321'], 200, [0, 3])).toMatchObject({
    posted: ['87654321'],
    left: ['12345678.cdr.json'],
  })
})
