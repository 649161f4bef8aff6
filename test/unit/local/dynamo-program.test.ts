import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DataFolder, openDataFolder } from '../../../local/data/data-folder.ts'
import { PlainError } from '../../../packages/laptop/processes/plain-error.ts'
import { type ChooseProgramDeps, chooseProgram } from '../../../packages/laptop/stores/dynamo-program/choose-program.ts'
import { dynoxidePackage } from '../../../packages/laptop/stores/dynamo-program/dynoxide.ts'

let root: string
let folder: DataFolder
let progress: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'callplane-program-'))
  folder = openDataFolder(join(root, 'data'))
  progress = []
  writeFileSync(join(root, 'package.json'), '{"optionalDependencies":{"@dynoxide/linux-x64":"1.2.1"}}')
})

afterEach(() => rmSync(root, { recursive: true }))

/** Puts the package of a platform below a folder, as npm would. */
function putPackage(below: string, name: string, { version = '1.2.1', program = 'dynoxide' } = {}): string {
  const place = join(below, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ version }))
  writeFileSync(join(place, program), '')
  return join(place, program)
}

/** A Mac at which npm and Java give what the case says; by default neither gives anything. */
function aMac(given: { readonly installs?: string; readonly java?: string } = {}): ChooseProgramDeps {
  const machine = { platform: 'darwin', arch: 'arm64' }
  let command: string | undefined
  return {
    machine,
    embedded: {
      name: '@dynoxide/darwin-arm64',
      version: '1.2.1',
      find: () => command,
      install: async () => {
        command = given.installs
        return command === undefined ? '404 Not Found' : undefined
      },
    },
    fetchJava: async (onDownload) => {
      if (given.java === undefined) return { missing: 'no Java 17 or later is installed' }
      onDownload()
      return { folder: given.java }
    },
    progress: (line) => progress.push(line),
    signal: new AbortController().signal,
  }
}

describe('the package of the embedded DynamoDB', () => {
  it.each([
    ['linux', 'arm64', 'dynoxide'],
    ['darwin', 'x64', 'dynoxide'],
    ['darwin', 'arm64', 'dynoxide'],
    ['win32', 'x64', 'dynoxide.exe'],
  ])('an installed package for %s %s is found', (platform, arch, program) => {
    const file = putPackage(root, `@dynoxide/${platform}-${arch}`, { program })

    expect(dynoxidePackage(root, { platform, arch }).find()).toBe(file)
  })

  it('a DynamoDB package that was installed on demand is found like one of the project', () => {
    const file = putPackage(join(root, 'node_modules/.cache/dynoxide/1.2.1'), '@dynoxide/linux-arm64')

    expect(dynoxidePackage(root, { platform: 'linux', arch: 'arm64' }).find()).toBe(file)
  })

  it('a DynamoDB package of another version, or for another platform, is ignored', () => {
    putPackage(root, '@dynoxide/linux-arm64', { version: '1.2.0' })
    putPackage(root, '@dynoxide/linux-x64')

    expect(dynoxidePackage(root, { platform: 'linux', arch: 'arm64' }).find()).toBeUndefined()
  })
})

describe('the DynamoDB of a laptop', () => {
  it('a missing DynamoDB package is installed, with a line that says so', async () => {
    const program = await chooseProgram(folder, aMac({ installs: '/bin/dynoxide' }))

    expect(program.command).toBe('/bin/dynoxide')
    expect(program.words(4000)).toEqual(['serve', '--port', '4000', '--db-path', folder.file('dynamodb.sqlite')])
    expect(progress).toEqual(['installing the embedded DynamoDB for darwin arm64'])
  })

  it('DynamoDB Local stores the data if npm has no package for the platform and Java is installed', async () => {
    const program = await chooseProgram(folder, aMac({ java: '/jars' }))

    expect(program.command).toBe('java')
    expect(program.words(4000).join(' ')).toContain(`-sharedDb -dbPath ${folder.file('dynamodb-local')}`)
    expect(progress.at(-1)).toBe('getting DynamoDB Local from Maven Central (50 MB, once)')
  })

  it('an error names the package, the reason and the ways out if neither the package nor Java is available', async () => {
    const refusal = chooseProgram(folder, aMac())

    await expect(refusal).rejects.toThrow(PlainError)
    await expect(refusal).rejects.toThrow(
      'the embedded DynamoDB cannot be had for darwin arm64 (@dynoxide/darwin-arm64@1.2.1: 404 Not Found), and DynamoDB Local ' +
        'cannot take its place: no Java 17 or later is installed. Install Java 17 or later, or set DYNAMODB_ENDPOINT to a DynamoDB',
    )
  })

  it('existing data of DynamoDB Local is still used when the package becomes available', async () => {
    await chooseProgram(folder, aMac({ java: '/jars' }))

    const program = await chooseProgram(folder, aMac({ installs: '/bin/dynoxide', java: '/jars' }))

    expect(program.command).toBe('java')
  })

  it('existing data of the embedded DynamoDB is never replaced by an empty DynamoDB Local', async () => {
    folder.write('dynamodb.sqlite', '')

    await expect(chooseProgram(folder, aMac({ java: '/jars' }))).rejects.toThrow(
      `${folder.file('dynamodb.sqlite')} has its data: start again when npm can install it`,
    )
  })

  it.each(['demo-accounts.json', 'objects', 'queues-running', 'queues.json'])(
    'a store that is missing or empty beside %s is not begun anew',
    async (left) => {
      folder.write(left, '')
      const refusal = `${folder.file('dynamodb.sqlite')} is missing or empty beside data of an earlier run (${left})`

      await expect(chooseProgram(folder, aMac({ installs: '/bin/dynoxide' }))).rejects.toThrow(refusal)
      folder.write('dynamodb.sqlite', '')
      await expect(chooseProgram(folder, aMac({ installs: '/bin/dynoxide' }))).rejects.toThrow(refusal)
      folder.write('dynamodb.sqlite', 'data')
      await expect(chooseProgram(folder, aMac({ installs: '/bin/dynoxide' }))).resolves.toBeDefined()
    },
  )

  it('an error names the folder of existing DynamoDB Local data if Java is missing', async () => {
    mkdirSync(folder.file('dynamodb-local'))

    await expect(chooseProgram(folder, aMac({ installs: '/bin/dynoxide' }))).rejects.toThrow(
      `${folder.file('dynamodb-local')} has the data of DynamoDB Local, which cannot run: no Java 17`,
    )
  })
})
