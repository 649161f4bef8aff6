import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as esbuild from 'esbuild'
import { type Build, canary, connectorFolder, functionFolder, handlers, sourceOf } from './handlers.ts'
import { type OutputFile, writeFolder } from './write-folder.ts'

/** The source and the target of a build. */
export interface BundleOptions {
  /** The folder that holds `functions/` and `connector/`. */
  readonly source: string
  /** The folder that receives the bundles; output of earlier builds is removed from it. */
  readonly target: string
  readonly onSlow?: (sentence: string) => void
}

const noticeAfterMs = 2000

/** Some packages are CommonJS inside and call `require` for node's own modules, which ES modules lack. */
const requireBanner =
  "import{createRequire as createRequireOfBundle}from'node:module';const require=createRequireOfBundle(import.meta.url);"

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  banner: { js: requireBanner },
  outExtension: { '.js': '.mjs' },
  write: false,
  // The content of bundles must not depend on the folder that they are built in.
  tsconfigRaw: {},
  logLevel: 'silent',
} as const satisfies esbuild.BuildOptions

/**
 * Bundles every function into `functions/<group>/<name>/index.cjs`, with its files in the folder `files` next to it,
 * and the connector into `connector/main.mjs`. The output depends on the sources alone, so that an unchanged function
 * keeps its asset hash. Throws a plain sentence when a declared handler has no file, and esbuild's own messages when a
 * source does not compile.
 */
export async function bundle({ source, target, onSlow }: BundleOptions): Promise<Build> {
  requireSources(source)
  const build: Build = { folder: target }
  const notice = setTimeout(() => onSlow?.(`bundling ${handlers.length} functions and the connector`), noticeAfterMs)
  try {
    const [functions, connector] = await Promise.all([bundleFunctions(source, build), bundleConnector(source, build)])
    const dockerfile = {
      path: join(connectorFolder(build), 'Dockerfile'),
      contents: read(source, 'connector/Dockerfile'),
    }
    writeFolder(target, [...functions, ...filesOfFunctions(source, build), ...connector, dockerfile])
  } finally {
    clearTimeout(notice)
  }
  return build
}

/** One call for all functions, so that shared files are read and parsed once. */
async function bundleFunctions(source: string, build: Build): Promise<esbuild.OutputFile[]> {
  const result = await esbuild.build({
    ...functionOptions(source),
    entryPoints: [...handlers, canary].map((handler) => ({
      in: join(source, sourceOf(handler)),
      out: join(functionFolder(build, handler), 'index'),
    })),
    outdir: build.folder,
  })
  return result.outputFiles
}

function filesOfFunctions(source: string, build: Build): OutputFile[] {
  return handlers.flatMap((handler) =>
    Object.entries(handler.files ?? {}).map(([name, path]) => ({
      path: join(functionFolder(build, handler), 'files', name),
      contents: read(source, path),
    })),
  )
}

/** Returns how functions are bundled. The benchmark bundles what it compares with them in the same way. */
export function functionOptions(source: string) {
  return {
    ...common,
    // A laptop unloads functions that are idle, and Node never frees an ES module.
    format: 'cjs',
    banner: {},
    outExtension: { '.js': '.cjs' },
    // Functions read their files from the folder of their code.
    define: { 'import.meta.dirname': '__dirname' },
    // An `import('node:http')` of the SDK touches every export of that module, and one of them loads Node's own undici:
    // an eighth of a cold start. A `require` touches only the exports in use.
    supported: { 'dynamic-import': false },
    // Lambda puts the credentials into the environment, and no service that functions call answers with event streams.
    alias: {
      '@aws-sdk/credential-provider-node': join(source, 'adapters/aws/no-chain.ts'),
      '@smithy/core/event-streams': join(source, 'adapters/aws/no-event-streams.ts'),
    },
    plugins: [withoutConfigFiles(source)],
    absWorkingDir: source,
  } as const satisfies esbuild.BuildOptions
}

/** Leaves out the module with which the SDK reads its configuration files: functions have none. */
function withoutConfigFiles(source: string): esbuild.Plugin {
  const path = join(source, 'adapters/aws/no-config-files.ts')
  return {
    name: 'without-config-files',
    setup: (build) =>
      build.onResolve({ filter: /^node:fs\/promises$/ }, ({ importer }) =>
        importer.includes('shared-ini-file-loader') ? { path } : undefined,
      ),
  }
}

/**
 * The connector keeps names, although they would cost a function 20 KB of every cold start: the errors of the event
 * socket are named after their classes.
 */
async function bundleConnector(source: string, build: Build): Promise<esbuild.OutputFile[]> {
  const result = await esbuild.build({
    ...common,
    keepNames: true,
    absWorkingDir: source,
    entryPoints: [join(source, 'connector/main.ts')],
    outdir: connectorFolder(build),
  })
  return result.outputFiles
}

function requireSources(source: string): void {
  const missing = [...handlers, canary]
    .flatMap((handler) =>
      [sourceOf(handler), ...Object.values(handler.files ?? {})].map((file) => ({
        file,
        declaration: handler.declaration,
      })),
    )
    .concat({ file: 'connector/main.ts', declaration: 'the connector' })
    .filter(({ file }) => !existsSync(join(source, file)))
    .map(({ file, declaration }) => `${file} (needed by ${declaration})`)
  if (missing.length > 0) throw new Error(`missing source: ${missing.join(', ')}`)
}

function read(source: string, file: string): Uint8Array {
  return readFileSync(join(source, file))
}
