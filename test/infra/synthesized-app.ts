import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { addCallplane } from '../../lib/stacks/callplane.ts'
import { canary, connectorFolder, functionFolder, handlers } from '../../lib/handlers.ts'
import { readSettings } from '../../lib/settings.ts'
import { Assembly } from './assembly.ts'

/** A synthesized app and what it was made from. */
export interface SynthesizedApp extends Disposable {
  readonly folder: string
  readonly assembly: Assembly
}

/** The inputs of synthesis that a test may change. */
export interface SynthesisOptions {
  /** The content of the file of the stage. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly change?: (app: App) => void
  /** The version in package.json. */
  readonly version?: string
  /**
   * Whether CloudFormation's own rules judge the templates, too, as for every deployment: 10 s of computing in a
   * process.
   */
  readonly isValidated?: boolean
}

/** Apps that were made, by their settings as JSON. */
const made = new Map<string, SynthesizedApp>()

/**
 * Returns the app as it is synthesized with the context of cdk.json and these settings of a stage, over bundles that
 * hold one line each. The test files of a worker share it, so no test may change its files.
 */
export function appWith(settings: Readonly<Record<string, unknown>>): SynthesizedApp {
  const key = JSON.stringify(settings)
  const known = made.get(key)
  if (known !== undefined) return known
  const app = synthesize({ settings })
  process.once('exit', () => app[Symbol.dispose]())
  made.set(key, app)
  return app
}

/** The app without any setting. */
export const usualApp = (): SynthesizedApp => appWith({})

/** Settings of which none changes what another one does, so that one synthesis shows them all. */
const adjusted = {
  requestsPerSecond: 20,
  engineConcurrency: 30,
  allowedOrigins: 'https://a.example.com, https://b.example.com',
  connectorBaseDigest: `sha256:${'0a'.repeat(32)}`,
  connectorCpu: 1024,
  terminationProtection: 'on',
  searchInstances: 8,
  searchInstanceType: 'r7g.large.search',
  tracing: 'on',
  alarmEmail: 'oncall@example.com',
  recordingsLock: 'on',
  logDays: 400,
} as const

/** The app with another value of many settings. */
export const adjustedApp = (): SynthesizedApp => appWith(adjusted)

/** Synthesizes the whole app with the context of cdk.json, over bundles that hold one line each. */
export function synthesize(options: SynthesisOptions = {}): SynthesizedApp {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-infra-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const outdir = synthesizeInto(folder, options)
    return { folder: outdir, assembly: new Assembly(outdir), [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

function synthesizeInto(
  folder: string,
  { settings: given = {}, change, version = '1.2.3', isValidated = false }: SynthesisOptions,
): string {
  const outdir = join(folder, 'cdk.out')
  const app = new App({
    outdir,
    autoSynth: false,
    context: projectContext(),
    builtinCloudFormationValidation: isValidated,
  })
  const settings = readSettings({ stage: 'test', engineHost: 'engine.example.internal', ...given })
  addCallplane(app, { settings, build: standInBuild(folder), version })
  change?.(app)
  app.synth()
  return outdir
}

/** The context of cdk.json, with the command line's additions that make templates name their assets. */
function projectContext(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> }
  return { ...context, 'aws:cdk:enable-asset-metadata': true }
}

function standInBuild(folder: string) {
  const build = { folder: join(folder, 'build') }
  for (const handler of [...handlers, canary]) {
    mkdirSync(functionFolder(build, handler), { recursive: true })
    writeFileSync(join(functionFolder(build, handler), 'index.cjs'), `exports.handler = '${handler.name}'\n`)
  }
  mkdirSync(connectorFolder(build), { recursive: true })
  writeFileSync(join(connectorFolder(build), 'Dockerfile'), readFileSync('connector/Dockerfile', 'utf8'))
  return build
}
