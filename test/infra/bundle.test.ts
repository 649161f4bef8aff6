import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { wrap } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { Script } from 'node:vm'
import * as esbuild from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle, functionOptions } from '../../lib/bundle.ts'
import {
  type Build,
  type Handler,
  canary,
  connectorFolder,
  functionFolder,
  handlers,
  sourceOf,
} from '../../lib/handlers.ts'
import { ensureAssembly } from '../../local/synthesis/ensure-assembly.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-bundle-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A source tree with one line for each handler and for the connector; `except` leaves one out. */
function aSource(name: string, { except = '' } = {}): string {
  const source = join(folder, name)
  for (const handler of [...handlers, canary].filter((handler) => handler.name !== except)) {
    write(join(source, sourceOf(handler)), `export const handler = async () => '${handler.name}'\n`)
    for (const [name, path] of Object.entries(handler.files ?? {})) write(join(source, path), `the file ${name}`)
  }
  write(join(source, 'connector/main.ts'), "console.log('connected')\n")
  write(join(source, 'connector/Dockerfile'), 'FROM scratch\n')
  return source
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const bundleOf = (target: string, handler: Handler) => join(functionFolder({ folder: target }, handler), 'index.cjs')

/** A key of the shared configuration file that only the credential chain of the SDK reads. */
const wholeChain = 'credential_process'

/** The location of a container's credentials in ECS. */
const containerCredentials = 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'

/** No plain endpoint may grow past this. */
const plainLimitKb = 370

/** No endpoint that searches CDRs may grow past this. */
const searchLimitKb = 700

/** Limits of bundles that hold a package besides the clients of every endpoint. */
const ownLimitsKb: readonly (readonly [number, readonly string[]])[] = [
  [searchLimitKb, ['cdr/cdr-index', 'cdr/prepare-search', 'cdr/delete-cdr', 'cdr/remove-expired-cdrs']],
  [searchLimitKb, ['cdr/search-cdrs', 'cdr/scroll-cdrs', 'cdr/read-cdr', 'cdr/list-other-legs', 'cdr/begin-export']],
  // The client of the key service.
  [400, ['auth/begin-totp', 'auth/confirm-totp', 'auth/end-totp', 'domains/create-domain-token']],
  [400, ['email/create-email-settings', 'email/replace-email-settings', 'hooks/rotate-hook-secret']],
  // The client of the key service and Argon2 in WebAssembly, which is loaded only by a Node without its own: 29 KB.
  [430, ['auth/log-in']],
  // The clients of the key service and of the queues.
  [460, ['gateways/create-gateway', 'gateways/replace-gateway', 'gateways/update-gateway']],
  [400, ['gateways/delete-gateway']],
  // Every route record, and the writer of JSON Schemas.
  [480, ['descriptions/read-api-description']],
  // The judge of networks, which finds overlaps for root.
  [370, ['gateways/list-gateways']],
  // The client of the key service and the composer of mails.
  [580, ['email/send-test-mail']],
  // The same, and the clients of the queues.
  [640, ['engine/take-voicemail']],
  // The client of the queues.
  [400, ['channels/hang-up-channel', 'channels/hold-channel', 'channels/list-channels']],
  [400, ['domains/delete-domain', 'engine/take-cdr']],
  // The client of the objects, of whose schemas the bundler cannot leave out what is not used.
  [600, ['recordings/delete-recordings', 'recordings/read-recording', 'recordings/remove-expired-recordings']],
  [600, ['cdr/read-export', 'engine/upload-recording', 'recordings/hold-recordings']],
  // The objects and the search.
  [850, ['cdr/write-export']],
  // The same, and the clients of the queues.
  [900, ['erasures/erase-party']],
  [400, ['erasures/begin-erasure']],
  [600, ['hooks/list-deliveries', 'hooks/replay-deliveries', 'hooks/resend-delivery', 'hooks/requeue-deliveries']],
  // The linear-time matcher of hook filters, routes and the operator's names of variables.
  [
    580,
    [
      'default-routes/create-default-route',
      'default-routes/replace-default-route',
      'default-routes/read-default-route',
      'default-routes/simulate-default-routes',
      'public-routes/create-public-route',
      'public-routes/replace-public-route',
      'public-routes/read-public-route',
    ],
  ],
  // The same, with the judges of sources.
  [610, ['engine/look-up-dialplan']],
  [560, ['accounts/read-account', 'accounts/delete-account']],
  // The linear-time matcher and Argon2 in WebAssembly.
  [590, ['accounts/create-account', 'accounts/update-account']],
  [560, ['channels/originate-call', 'channels/eavesdrop-channel']],
  [620, ['engine/look-up-directory']],
  [560, ['domains/create-domain', 'domains/read-domain']],
  [560, ['domains/update-domain-parameters', 'domains/update-domain-variables']],
  [560, ['hooks/create-hooks', 'hooks/replace-hook', 'hooks/update-hook', 'hooks/dry-run-hook']],
  // The guarded HTTP client and the objects, and the matcher with them.
  [1500, ['hooks/deliver', 'hooks/hook-dispatch']],
  [1550, ['hooks/test-hook']],
]

const limitKb = new Map(ownLimitsKb.flatMap(([limit, names]) => names.map((name) => [name, limit])))

/** A function of each folder of functions, with all packages that any of them bundles. */
const oneOfEachGroup = handlers.filter(({ name }, index) => {
  const group = name.split('/')[0]
  return handlers.findIndex((other) => other.name.split('/')[0] === group) === index
})

/** Lists the functions whose bundle fails a check, with what the check found. */
const failing = (check: (text: string, name: string) => string | undefined) =>
  all.flatMap(([name, file]) => {
    const problem = check(readFileSync(file, 'utf8'), name)
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })

// Those of the assembly that a laptop runs, which are made once for a state of the sources.
const build: Build = { folder: join(process.cwd(), '.build/bundles') }
const all = handlers.map((handler) => [handler.name, bundleOf(build.folder, handler)] as const)

describe('the bundles of the project', () => {
  beforeAll(async () => {
    await ensureAssembly(process.cwd(), () => {}, new AbortController().signal)
    if (!all.every(([, file]) => existsSync(file))) await bundle({ source: process.cwd(), target: build.folder })
  })

  it('each bundle is below its size limit', () => {
    const tooLarge = failing((text, name) => {
      const limit = limitKb.get(name) ?? plainLimitKb
      const sizeKb = Buffer.byteLength(text) / 1024
      return sizeKb <= limit ? undefined : `${Math.ceil(sizeKb)} KB, limit ${limit} KB`
    })

    expect(tooLarge).toEqual([])
  })

  it('each bundle is a module that Node can load', () => {
    // As a process checks it that is started with --check, without a process for each of a hundred bundles.
    const unreadable = failing((text) => {
      try {
        void new Script(wrap(text))
        return undefined
      } catch (error) {
        return String(error)
      }
    })

    expect(unreadable).toEqual([])
  })

  it('no bundle imports a module of Node at run time, which would load unused code', () => {
    expect(failing((text) => /\bimport\("node:\w+/.exec(text)?.[0])).toEqual([])
  })

  it('no source of a function is imported at run time, since the bundler then wraps every shared module', () => {
    const sources = globSync('{adapters,contracts,core,functions}/**/*.ts')

    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((file) => /\bawait import\(/.test(readFileSync(file, 'utf8')))).toEqual([])
  })

  it('a bundle contains fs/promises exactly if it contains dns/promises, which needs it', () => {
    const wrong = failing((text) => {
      const [files, names] = [text.includes('fs/promises'), text.includes('dns/promises')]
      return files === names ? undefined : `fs/promises ${files}, dns/promises ${names}`
    })

    expect(wrong).toEqual([])
  })

  it('no bundle contains the credential chain that reads files and runs programs', () => {
    expect(failing((text) => (text.includes(wholeChain) ? wholeChain : undefined))).toEqual([])
  })

  it('only functions that hash passwords contain Argon2 in WebAssembly', () => {
    const holders = failing((text) => (text.includes('name:"argon2",data:') ? 'Argon2' : undefined))

    expect(holders.toSorted()).toEqual(
      ['accounts/create-account', 'accounts/update-account', 'auth/log-in'].map((name) => `${name}: Argon2`),
    )
  })

  it("the connector's bundle can get credentials from its container", () => {
    const connector = join(connectorFolder(build), 'main.mjs')

    expect(readFileSync(connector, 'utf8').includes(containerCredentials)).toBe(true)
    expect(spawnSync(process.execPath, ['--check', connector]).status).toBe(0)
  })

  it('a bundle that is built from a copy of the sources in another folder has the same bytes', async () => {
    const copy = join(folder, 'copy')
    for (const part of ['functions', 'connector', 'core', 'contracts', 'adapters', 'package.json']) {
      cpSync(part, join(copy, part), { recursive: true })
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))

    const { outputFiles } = await esbuild.build({
      ...functionOptions(copy),
      entryPoints: oneOfEachGroup.map(({ name }) => join(copy, 'functions', `${name}.ts`)),
      outbase: join(copy, 'functions'),
      outdir: folder,
    })

    const again = new Map(outputFiles.map(({ path, text }) => [relative(folder, path), text]))
    const others = oneOfEachGroup.filter(
      (handler) => again.get(`${handler.name}.cjs`) !== readFileSync(bundleOf(build.folder, handler), 'utf8'),
    )
    expect(others).toEqual([])
    expect(oneOfEachGroup.length).toBeGreaterThan(15)
  })
})

it('an error names the handler whose file is missing', async () => {
  const [missing] = handlers
  const source = aSource('incomplete', { except: missing?.name ?? '' })

  await expect(bundle({ source, target: join(folder, 'never') })).rejects.toThrow(
    `missing source: functions/${missing?.name}.ts (needed by ${missing?.declaration})`,
  )
})

it('a build removes outdated files and does not touch current ones', async () => {
  const source = aSource('complete')
  const target = join(folder, 'rebuilt')
  await bundle({ source, target })
  const [kept] = handlers.map((handler) => bundleOf(target, handler))
  const before = kept && statSync(kept).mtimeMs
  write(join(target, 'functions/gone/index.cjs'), 'old')

  await bundle({ source, target })

  expect(existsSync(join(target, 'functions/gone/index.cjs'))).toBe(false)
  expect(kept && statSync(kept).mtimeMs).toBe(before)
})

it('the files that a function serves are bundled next to its code, and those of no other function', async () => {
  const build = await bundle({ source: aSource('files'), target: join(folder, 'files-build') })

  const found = globSync('**/files/*', { cwd: join(build.folder, 'functions') }).toSorted()

  const wanted = handlers.flatMap(({ name, files }) => Object.keys(files ?? {}).map((file) => `${name}/files/${file}`))
  expect(wanted.length).toBeGreaterThan(0)
  expect(found).toEqual(wanted.toSorted())
  for (const file of found) {
    expect(readFileSync(join(build.folder, 'functions', file), 'utf8')).toBe(`the file ${basename(file)}`)
  }
})

it('the connector comes with its Dockerfile', async () => {
  const build = await bundle({ source: aSource('image'), target: join(folder, 'image-build') })

  expect(readFileSync(join(connectorFolder(build), 'Dockerfile'), 'utf8')).toBe('FROM scratch\n')
})

it('a bundle runs on its own', async () => {
  const build = await bundle({ source: aSource('running'), target: join(folder, 'running-build') })
  const [first] = handlers

  const { handler } = await import(first ? bundleOf(build.folder, first) : '')

  expect(await handler()).toBe(first?.name)
})
