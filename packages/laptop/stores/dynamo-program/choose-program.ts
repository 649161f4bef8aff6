import { existsSync, mkdirSync } from 'node:fs'
import { PlainError } from '../../processes/plain-error.ts'
import type { DataFiles } from '../../processes/data-files.ts'
import { dynamoDbLocalWords, fetchDynamoDbLocal } from './dynamodb-local.ts'
import { type DynoxidePackage, type Machine, dynoxidePackage } from './dynoxide.ts'
import type { FetchedArtifacts } from './java-artifacts.ts'

/** A program that serves DynamoDB on a port of the loopback address. */
export interface DynamoProgram {
  readonly command: string
  readonly words: (port: number) => readonly string[]
  readonly data: string
}

interface Missing {
  readonly missing: string
}

/** The dependencies of {@link chooseProgram}. */
export interface ChooseProgramDeps {
  readonly machine: Machine
  readonly embedded: DynoxidePackage
  fetchJava(onDownload: () => void): Promise<FetchedArtifacts>
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
}

/** Returns the dependencies for a machine, in the project at `root`. `npm` returns the words that run npm. */
export function programsFor(
  root: string,
  machine: Machine,
  {
    progress,
    signal,
    npm,
  }: Pick<ChooseProgramDeps, 'progress' | 'signal'> & { readonly npm?: () => readonly string[] },
): ChooseProgramDeps {
  const fetchJava = (onDownload: () => void) => fetchDynamoDbLocal(root, { onDownload, signal })
  return { machine, embedded: dynoxidePackage(root, machine, npm), fetchJava, progress, signal }
}

/**
 * Chooses the DynamoDB of a data folder. The embedded one comes first: it is installed when it is missing. Where it
 * cannot be had, DynamoDB Local takes its place if there is a Java. A folder keeps the one that it began with, since
 * neither reads the other's data. Throws a plain sentence where there is none.
 */
export async function chooseProgram(
  folder: Pick<DataFiles, 'file' | 'requireWithData'>,
  deps: ChooseProgramDeps,
): Promise<DynamoProgram> {
  const [file, javaData] = [folder.file('dynamodb.sqlite'), folder.file('dynamodb-local')]
  if (existsSync(javaData) && !existsSync(file)) {
    const kept = await javaProgram(javaData, deps)
    if ('command' in kept) return kept
    throw new PlainError(`${javaData} has the data of DynamoDB Local, which cannot run: ${kept.missing}`)
  }
  folder.requireWithData('dynamodb.sqlite')
  const embedded = await embeddedProgram(file, deps)
  if ('command' in embedded) return embedded
  if (existsSync(file)) {
    throw new PlainError(`${embedded.missing}, and ${file} has its data: start again when npm can install it`)
  }
  const java = await javaProgram(javaData, deps)
  if ('command' in java) return java
  throw new PlainError(
    `${embedded.missing}, and DynamoDB Local cannot take its place: ${java.missing}. ` +
      'Install Java 17 or later, or set DYNAMODB_ENDPOINT to a DynamoDB',
  )
}

async function embeddedProgram(
  data: string,
  { machine, embedded, progress, signal }: ChooseProgramDeps,
): Promise<DynamoProgram | Missing> {
  const where = `${machine.platform} ${machine.arch}`
  let problem: string | undefined
  if (embedded.find() === undefined) {
    progress(`installing the embedded DynamoDB for ${where}`)
    problem = await embedded.install(signal)
    signal.throwIfAborted()
  }
  const command = embedded.find()
  if (command !== undefined) {
    return { command, words: (port) => ['serve', '--port', String(port), '--db-path', data], data }
  }
  const { name, version } = embedded
  return {
    missing: `the embedded DynamoDB cannot be had for ${where} (${name}@${version}: ${problem ?? 'no program'})`,
  }
}

async function javaProgram(data: string, deps: ChooseProgramDeps): Promise<DynamoProgram | Missing> {
  const java = await deps.fetchJava(() => deps.progress('getting DynamoDB Local from Maven Central (50 MB, once)'))
  if ('missing' in java) return java
  mkdirSync(data, { recursive: true, mode: 0o700 })
  return { command: 'java', words: (port) => dynamoDbLocalWords(java.folder, port, data), data }
}
