import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { PlainError } from '@callplane/laptop'
import { contentHash } from './content-hash.ts'

const sources = [
  'bin',
  'settings',
  'lib',
  'contracts',
  'core',
  'adapters',
  'functions',
  'connector',
  'packages/esl',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'cdk.json',
]

const stampFile = '.made-from'

/**
 * Rebuilds the cloud assembly in `cdk.out` if its sources or the assembly itself have changed; returns its folder. Runs
 * the CDK app itself, as `cdk synth` would, with the context of cdk.json and the stage `dev`; the app bundles the
 * functions too.
 */
export async function ensureAssembly(
  root: string,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const directory = join(root, 'cdk.out')
  const from = contentHash(root, sources)
  if (isCurrent(directory, from)) return directory
  progress('bundling the functions and synthesizing the CDK app')
  await synthesizeApp(root, directory, { stage: 'dev', localSettings: 'off' }, signal)
  writeFileSync(join(directory, stampFile), stamp(directory, from))
  return directory
}

function isCurrent(directory: string, from: string): boolean {
  const path = join(directory, stampFile)
  return existsSync(path) && readFileSync(path, 'utf8') === stamp(directory, from)
}

/** Returns a stamp of both sides, the sources and the result, since `cdk synth` may have written there in between. */
function stamp(directory: string, from: string): string {
  const made = readdirSync(directory).filter((name) => name.endsWith('.json'))
  return `${from} ${contentHash(directory, made.sort())}`
}

/** Synthesizes the CDK app with the context of cdk.json and this. Throws what the app says when it cannot be done. */
export async function synthesizeApp(
  root: string,
  directory: string,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const { context } = z.parse(
    z.object({ context: z.record(z.string(), z.unknown()) }),
    JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')),
  )
  const child = spawn(process.execPath, ['bin/app.ts'], {
    cwd: root,
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...given }),
      // CloudFormation's own rules take 10 s of computing, and `npm run check` and every deployment apply them.
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-20_000)
    })
  }
  const [code] = await once(child, 'close')
  if (code === 0 && existsSync(join(directory, 'manifest.json'))) return
  throw new PlainError(`the CDK app cannot be synthesized:\n${output.trim()}`)
}
