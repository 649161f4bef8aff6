import { readFileSync, readdirSync } from 'node:fs'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { handlerName, routes } from '../../contracts/routes/index.ts'
import { preparations } from '../../contracts/preparations.ts'
import { schedules } from '../../contracts/schedules.ts'
import { workers } from '../../contracts/workers.ts'
import { connector } from '../../contracts/connector.ts'
import type { Needs } from '../../contracts/ports.ts'

const declared = [
  ...routes.map(({ group, operationId, needs }) => ({
    name: operationId,
    file: `functions/${group}/${handlerName(operationId)}.ts`,
    needs,
  })),
  ...[...workers, ...schedules, ...preparations].map(({ group, name, needs }) => ({
    name,
    file: `functions/${group}/${handlerName(name)}.ts`,
    needs,
  })),
  { name: 'the connector', file: 'connector/main.ts', needs: connector.needs },
]

/** The names under which code calls a port whose own name would say too much there. */
const otherNames = ['store', 'receiver', 'reader', 'sink', 'throttle', 'connectors']

/** The text of everything of ours that each entry imports, by entry. */
const sources = new Map<string, string>()

beforeAll(async () => {
  for (const { file } of declared) {
    const { metafile } = await build({
      entryPoints: [file],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    })
    const own = Object.keys(metafile.inputs).filter((input) => /^(core|functions|connector)\//.test(input))
    sources.set(file, own.map((input) => readFileSync(input, 'utf8')).join('\n'))
  }
})

/** Every port method that needs name. */
function methodsOf(needs: Needs): string[] {
  return Object.entries(needs).flatMap(([port, methods]) => methods.map((method) => `${port}.${method}`))
}

describe('every port method that a declaration names is called by its code, so that no grant is idle', () => {
  it.each(declared)('every port method that $name declares is called by its code', ({ file, needs }) => {
    const text = sources.get(file) ?? ''

    const idle = methodsOf(needs).filter((method) => {
      const [port = '', name = ''] = method.split('.')
      return !new RegExp(`\\b(${[port, ...otherNames].join('|')})\\.${name}\\b`).test(text)
    })

    expect(idle).toEqual([])
  })
})

/** Ports of one type that have several adapters, and the only functions that use another one than the rest do. */
const adapters: readonly (readonly [port: string, usual: string, others: Readonly<Record<string, string>>])[] = [
  ['hookClient', 'guardedHookClient', { 'hooks/test-hook.ts': 'guardedTestClient' }],
  ['recordingFiles', 's3RecordingFiles', {}],
  ['exportFiles', 's3ExportFiles', {}],
  ['defaultRoutes', 'dynamoDefaultRouteStore', {}],
  ['publicRoutes', 'dynamoPublicRouteStore', {}],
]

it.each(adapters)(
  'the cloud gives the port %s the adapter %s everywhere, with these exceptions: %j',
  (port, usual, others) => {
    const files = readdirSync('functions', { encoding: 'utf8', recursive: true }).filter((name) => name.endsWith('.ts'))
    const given = files.flatMap((file) => {
      const found = readFileSync(`functions/${file}`, 'utf8').matchAll(
        new RegExp(`^ +${port}: ([a-z][A-Za-z0-9]+),$`, 'gm'),
      )
      return [...found].map(([, adapter]) => [file, adapter])
    })

    expect(given.filter(([, adapter]) => adapter === usual).length).toBeGreaterThan(0)
    expect(Object.fromEntries(given.filter(([, adapter]) => adapter !== usual))).toEqual(others)
  },
)
