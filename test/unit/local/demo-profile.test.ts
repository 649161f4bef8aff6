import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Profiles, configFolder } from '../../../cli/profile/profile.ts'
import { hasDemoProfile, writeDemoProfile } from '../../../local/platform/demo-profile.ts'

const user = '1000@demo.example.com'
let home: string
let place: Parameters<typeof writeDemoProfile>[1] & object

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'callplane-profile-'))
  place = { env: {}, platform: 'linux', home }
})
afterEach(() => rmSync(home, { recursive: true }))

/** A platform that lets everybody in, or nobody. */
async function aPlatform(status = 200) {
  const ended: unknown[] = []
  const server = createServer((request, response) => {
    if (request.url === '/logout') {
      ended.push(request.headers['x-access-token'])
      return void response.end(JSON.stringify({ status: 'OK', info: 'ended' }))
    }
    const refusal = { status: 'error', code: 'invalid_credentials', info: 'no', requestId: 'r1' }
    response.writeHead(status)
    response.end(JSON.stringify(status === 200 ? { token: 't', key: 'k', expires: 9e12 } : refusal))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { url, ended, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

const start = (url: string) => ({ url, host: '127.0.0.1', folder: resolve('.data'), passwords: { [user]: 'secret' } })

it('a start on the default data folder signs the command line in, in a file of its user alone and without the password', async () => {
  await using platform = await aPlatform()

  expect(await writeDemoProfile(start(platform.url), place)).toBe(true)

  const folder = configFolder(place)
  const file = join(folder, 'profiles/demo.json')
  expect(new Profiles(folder).read('demo')).toEqual({ url: platform.url, user, token: 't', key: 'k', expires: 9e12 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain('secret')
  expect([hasDemoProfile(platform.url, place), hasDemoProfile('http://127.0.0.1:1', place)]).toEqual([true, false])
})

it('a start on another data folder, or whose password was changed, signs nobody in', async () => {
  await using platform = await aPlatform(401)

  expect(await writeDemoProfile({ ...start(platform.url), folder: '/elsewhere' }, place)).toBe(false)
  expect(await writeDemoProfile(start(platform.url), place)).toBe(false)
  expect(hasDemoProfile(platform.url, place)).toBe(false)
})

it('the profile of this user at this platform is signed in anew in a new private file, and its former login ends', async () => {
  await using platform = await aPlatform()
  const folder = join(configFolder(place), 'profiles')
  const file = join(folder, 'demo.json')
  mkdirSync(folder, { recursive: true })
  const former = { url: platform.url, user, token: 'former', key: 'k', expires: 9e12 }
  writeFileSync(file, JSON.stringify(former), { mode: 0o644 })

  expect(await writeDemoProfile(start(platform.url), place)).toBe(true)

  expect(new Profiles(configFolder(place)).read('demo')?.token).toBe('t')
  expect([statSync(file).mode & 0o777, platform.ended]).toEqual([0o600, ['former']])
})

it('a platform that listens on every address is known by that of this machine', async () => {
  await using platform = await aPlatform()
  const outer = platform.url.replace('127.0.0.1', '192.0.2.7')

  expect(await writeDemoProfile({ ...start(outer), host: '0.0.0.0' }, place)).toBe(true)

  expect([hasDemoProfile(platform.url, place), hasDemoProfile(outer, place)]).toEqual([true, false])
})

it('nobody is signed in at an address of a network', async () => {
  expect(await writeDemoProfile({ ...start('http://192.0.2.7:8080'), host: '192.0.2.7' }, place)).toBe(false)
})

it('the profile of another user at this platform is not that of the demo', async () => {
  await using platform = await aPlatform()
  new Profiles(configFolder(place)).write('demo', {
    url: platform.url,
    user: '1001@demo.example.com',
    token: 't',
    key: 'k',
    expires: 9e12,
  })

  expect(hasDemoProfile(platform.url, place)).toBe(false)
})

it.each([
  JSON.stringify({ url: 'http://127.0.0.1:1', user }),
  JSON.stringify({ url: 'https://api.example.com', user }),
  JSON.stringify({ url: 'http://127.0.0.1:8080', user: 'me@acme.example.com' }),
  'damaged',
])('the profile %s of somebody else stays as it is', async (text) => {
  await using platform = await aPlatform()
  const folder = join(configFolder(place), 'profiles')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'demo.json'), text)

  expect(await writeDemoProfile(start(platform.url), place)).toBe(false)

  expect(readFileSync(join(folder, 'demo.json'), 'utf8')).toBe(text)
})
