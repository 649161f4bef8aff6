/**
 * The client of `packages/esl`, on any Node that the harness may run: as it is, or bundled where types are in the way.
 */
import { fileURLToPath } from 'node:url'

const entry = new URL('reader.ts', import.meta.url)

// The bundle targets Node 20, whose standard library lacks this one function of the sources.
Promise.withResolvers ??= function withResolvers() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

async function bundled() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

const connector = process.features.typescript ? await import(entry.href) : await bundled()

export const { EslCommand, EslConnection, EslError, defaultEslLimits, systemEslTimers } = connector
