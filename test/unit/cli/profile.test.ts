import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Profiles, configFolder } from '../../../cli/profile/profile.ts'
import { run } from '../../../cli/program.ts'

let folder: string
const profile = { url: 'https://api.example.com', user: 'root', token: 'a.b.c', key: 'k', expires: 1 }
const file = () => join(folder, 'profiles/default.json')
const modeOf = (path: string) => statSync(path).mode & 0o777

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-profile-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('a profile is readable by its user alone, also with a generous umask, and leaves no other file', () => {
  const before = process.umask(0)
  try {
    new Profiles(folder).write('default', profile)
  } finally {
    process.umask(before)
  }

  expect([modeOf(file()), modeOf(join(folder, 'profiles'))]).toEqual([0o600, 0o700])
  expect(readdirSync(join(folder, 'profiles'))).toEqual(['default.json'])
  expect(new Profiles(folder).read('default')).toEqual(profile)
})

it('a profile that others may read is made private when it is used', () => {
  const profiles = new Profiles(folder)
  profiles.write('default', profile)
  chmodSync(file(), 0o644)

  profiles.read('default')

  expect(modeOf(file())).toBe(0o600)
})

it.each(['', '..', '../x', 'a/b', '.hidden', 'x'.repeat(65), 'a\\b'])('no profile can be called %j', (name) => {
  expect(() => new Profiles(folder).read(name)).toThrow(/name of a profile must be/)
})

it.each(['{', '{}', '[]', '{"url":1}'])('a damaged profile (%s) is refused with its path and the way out', (text) => {
  const profiles = new Profiles(folder)
  profiles.write('default', profile)
  writeFileSync(file(), text)

  expect(() => profiles.read('default')).toThrow(/default\.json is damaged: remove it and sign in again/)
})

it.each([
  ['linux', { XDG_CONFIG_HOME: '/x' }, '/x/callplane'],
  ['linux', {}, '/home/u/.config/callplane'],
  ['darwin', {}, '/home/u/.config/callplane'],
  ['win32', { APPDATA: '/roaming' }, '/roaming/callplane'],
] as const)('on %s with %j the settings are in %s', (platform, env, expected) => {
  expect(configFolder({ platform, env, home: '/home/u' })).toBe(expected)
})

it('profiles and doctor go on where a profile is damaged, and name it', async () => {
  new Profiles(join(folder, 'callplane')).write('whole', profile)
  new Profiles(join(folder, 'callplane')).write('default', profile)
  writeFileSync(join(folder, 'callplane/profiles/default.json'), '{')
  const said: string[] = []
  const terminal = {
    stdin: new PassThrough(),
    stdout: { write: (text: string | Uint8Array) => said.push(String(text)) },
    stderr: { write: () => true },
    env: { XDG_CONFIG_HOME: folder },
    platform: 'linux' as const,
    home: folder,
    signal: new AbortController().signal,
  }

  expect(await run(['profiles'], terminal)).toBe(0)
  expect(await run(['doctor'], terminal)).toBe(1)
  expect(said.join('')).toMatch(/^whole +https:\/\/api\.example\.com/m)
  expect(said.join('')).toMatch(/^default +yes +damaged: sign in again/m)
  expect(said.join('')).toMatch(/^profile +wrong +"default" is damaged/m)
})
