/**
 * Clients that generators make of the API description, each with a program that uses it. Generators and libraries come
 * at pinned versions from the registries of their languages, into a folder next to the packages.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fetchArtifacts } from '../../../packages/laptop/stores/dynamo-program/java-artifacts.ts'
import { runCommand } from '../platform/command.ts'

const cache = resolve('node_modules/.cache/generated-clients')

/** What one language has to do. */
interface Step {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** A built program, or the reason why it cannot be built here. */
export type BuiltClient = Step | { readonly missing: string }

/** Makes a client of the description in `folder/openapi.json` and the program on it. Rejects if either is not right. */
export type BuildClient = (folder: string) => Promise<BuiltClient>

/** Runs a step; resolves with what it printed. Rejects if it fails. */
export async function runStep({ command, args, cwd, env = {} }: Step): Promise<string> {
  const { status, output } = await runCommand(command, args, { cwd, env: { ...process.env, ...env } })
  if (status === 0) return output
  throw new Error(`${command} ${args.slice(0, 6).join(' ')} failed: ${output.slice(-6000)}`)
}

/** Returns whether a step succeeds that loads something from a registry. */
async function succeeds(step: Step): Promise<boolean> {
  return runStep(step).then(
    () => true,
    () => false,
  )
}

/** Returns whether a program is installed. */
function has(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

const generatorJar = {
  'org.openapitools:openapi-generator-cli:7.25.0': '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
}

/** What a Java client is compiled with. */
const javaLibraries = {
  'com.fasterxml.jackson.core:jackson-annotations:2.21':
    '53ca085f4a150f703f49e1aabd935bd03b43e1ea3d55d135438292af22cef56b',
  'com.fasterxml.jackson.core:jackson-core:2.21.5': 'b64b5874162b503a0e58a8f7758266e8dd9f91bf49e3a59ae0b5f47589a231b7',
  'com.fasterxml.jackson.core:jackson-databind:2.21.5':
    '507418c0fafd38b2b2cfb704521630da613a8e4cc8381195a6f418017883e2c0',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5':
    'e941f9718d16a649614cb06711de06da34722afff9cee0b7725fc5318638304c',
  'com.google.code.findbugs:jsr305:3.0.2': '766ad2a0783f2687962c8ad74ceecc38a28b9f72a2d085ee438b7813e928d0c7',
  'commons-codec:commons-codec:1.11': 'e599d5318e97aa48f42136a2927e6dfa4e8881dff0e6c8e3109ddbbff51d7b7d',
  'commons-logging:commons-logging:1.2': 'daddea1ea0be0f56978ab3006b8ac92834afeefbd9b7e4e6316fca57df0fa636',
  'jakarta.annotation:jakarta.annotation-api:1.3.5': '85fb03fc054cdf4efca8efd9b6712bbb418e1ab98241c4539c8585bbc23e1b8a',
  'org.apache.httpcomponents:httpclient:4.5.14': 'c8bc7e1c51a6d4ce72f40d2ebbabf1c4b68bfe76e732104b04381b493478e9d6',
  'org.apache.httpcomponents:httpcore:4.4.16': '6c9b3dd142a09dc468e23ad39aad6f75a0f2b85125104469f026e52a474e464f',
  'org.apache.httpcomponents:httpmime:4.5.14': 'd401243d5c6eae928a37121b6e819158c8c32ea0584793e7285bb489ab2a3d17',
  'org.openapitools:jackson-databind-nullable:0.2.11':
    '07417c949d66a67eb8bc1e919f3f1f13a741badf8b4fcbd39ac16a509d38d34c',
}

/** What a Python client needs. */
const pythonLibraries = [
  'annotated-types==0.8.0',
  'pydantic==2.14.4',
  'pydantic_core==2.50.5',
  'python-dateutil==4.0.0',
  'setuptools==80.9.0',
  'typing_extensions==4.16.0',
  'typing-inspection==0.4.5',
  'tzdata==2026.6',
  'urllib3==2.8.0',
]

/** Runs openapi-generator; returns why it cannot be had, if so. */
async function generate(folder: string, language: string, ...options: readonly string[]): Promise<string | undefined> {
  const fetched = await fetchArtifacts({ cache, leastJava: 11, checksums: generatorJar })
  if ('missing' in fetched) return fetched.missing
  const args = ['-jar', join(fetched.folder, 'openapi-generator-cli-7.25.0.jar'), 'generate', '-i', 'openapi.json']
  await runStep({ command: 'java', args: [...args, '-g', language, '-o', 'client', ...options], cwd: folder })
  return undefined
}

const programs = import.meta.dirname
const goModule = 'module callplane.example/program\n\ngo 1.24\n'

/** Builds a Go program on a client in `folder/client`; `libraries` are modules with their versions. */
async function goProgram(folder: string, program: string, libraries: readonly string[]): Promise<BuiltClient> {
  const home = join(folder, 'program')
  mkdirSync(home, { recursive: true })
  cpSync(join(programs, program), join(home, 'main.go'))
  writeFileSync(join(home, 'go.mod'), goModule)
  // The generated tests import the client by another name.
  for (const name of ['go.mod', 'go.sum', 'test'])
    rmSync(join(folder, 'client', name), { force: true, recursive: true })
  writeFileSync(join(folder, 'client/go.mod'), 'module callplane.example/client\n\ngo 1.24\n')
  const client = ['-require=callplane.example/client@v0.0.0', '-replace=callplane.example/client=../client']
  const go = (cwd: string, ...args: readonly string[]): Step => ({ command: 'go', args, cwd })
  await runStep(go(home, 'mod', 'edit', ...client))
  const got = await succeeds(go(join(folder, 'client'), 'get', ...libraries))
  if (!got) return { missing: 'the Go modules cannot be had' }
  for (const place of [join(folder, 'client'), home]) await runStep(go(place, 'mod', 'tidy'))
  await runStep(go(home, 'build', '-o', 'program', '.'))
  return { command: './program', args: [], cwd: home }
}

/** Builds a program in TypeScript that is compiled with the strictest settings. */
async function typeScriptProgram(folder: string, program: string): Promise<BuiltClient> {
  cpSync(join(programs, `${program}.ts.txt`), join(folder, 'program.ts'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const options = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--rewriteRelativeImportExtensions',
    '--outDir',
    'out',
  ]
  const types = ['--typeRoots', resolve('node_modules/@types'), '--types', 'node', '--lib', 'es2023,dom']
  await runStep({ command: resolve('node_modules/.bin/tsc'), args: [...options, ...types, 'program.ts'], cwd: folder })
  return { command: process.execPath, args: ['out/program.js'], cwd: folder }
}

/** The clients, by what makes them and their language. */
export const clients: Readonly<Record<string, BuildClient>> = {
  'openapi-generator for Go': async (folder) => {
    if (!has('go', 'version')) return { missing: 'Go is not installed' }
    const missing = await generate(folder, 'go', '--additional-properties=packageName=callplane')
    return missing === undefined
      ? goProgram(folder, 'openapi-generator.go', ['gopkg.in/validator.v2@v2.0.1'])
      : { missing }
  },
  'oapi-codegen for Go': async (folder) => {
    if (!has('go', 'version')) return { missing: 'Go is not installed' }
    const tool = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
    const install = { command: 'go', args: ['install', tool], cwd: folder, env: { GOBIN: cache } }
    if (!(await succeeds(install))) return { missing: 'oapi-codegen cannot be installed' }
    mkdirSync(join(folder, 'client'), { recursive: true })
    const args = ['-generate', 'types,client', '-package', 'callplane', '-o', 'client/client.go', 'openapi.json']
    await runStep({ command: join(cache, 'oapi-codegen'), args, cwd: folder })
    return goProgram(folder, 'oapi-codegen.go', ['github.com/oapi-codegen/runtime@v1.9.0'])
  },
  'openapi-generator for Python': async (folder) => {
    if (!has('python3', '-m', 'venv', '--help')) return { missing: 'Python is not installed' }
    const missing = await generate(folder, 'python', '--additional-properties=packageName=callplane_client')
    if (missing !== undefined) return { missing }
    await runStep({ command: 'python3', args: ['-m', 'venv', 'venv'], cwd: folder })
    const pip = (...words: readonly string[]) => ({
      command: 'venv/bin/pip',
      args: ['install', '--quiet', ...words],
      cwd: folder,
    })
    if (!(await succeeds(pip('--no-deps', ...pythonLibraries))))
      return { missing: 'the Python libraries cannot be had' }
    await runStep(pip('--no-build-isolation', '--no-deps', './client'))
    return { command: 'venv/bin/python', args: [join(programs, 'openapi_generator.py')], cwd: folder }
  },
  'openapi-generator for Java': async (folder) => {
    if (!has('javac', '-version')) return { missing: 'no compiler of Java is installed' }
    const missing = await generate(folder, 'java', '--library', 'native')
    if (missing !== undefined) return { missing }
    const libraries = await fetchArtifacts({ cache, leastJava: 11, checksums: javaLibraries })
    if ('missing' in libraries) return libraries
    const path = `${libraries.folder}/*:classes`
    const sources = await runStep({ command: 'find', args: ['client/src/main', '-name', '*.java'], cwd: folder })
    writeFileSync(join(folder, 'sources'), sources)
    const source = join(programs, 'OpenapiGenerator.java')
    await runStep({
      command: 'javac',
      args: ['-nowarn', '-d', 'classes', '-cp', path, '@sources', source],
      cwd: folder,
    })
    return { command: 'java', args: ['-cp', path, 'OpenapiGenerator'], cwd: folder }
  },
  'openapi-generator for TypeScript': async (folder) => {
    const missing = await generate(folder, 'typescript-fetch', '--additional-properties=importFileExtension=.js')
    return missing === undefined ? typeScriptProgram(folder, 'openapi-generator') : { missing }
  },
  'openapi-typescript': async (folder) => {
    const home = join(cache, 'openapi-typescript')
    const tools = ['openapi-typescript@7.13.0', 'typescript@5.9.3']
    mkdirSync(home, { recursive: true })
    const npm = { command: 'npm', args: ['install', '--silent', '--no-save', '--prefix', home, ...tools], cwd: home }
    if (!(await succeeds(npm))) return { missing: 'openapi-typescript cannot be installed' }
    const program = join(home, 'node_modules/.bin/openapi-typescript')
    await runStep({ command: program, args: ['openapi.json', '-o', 'schema.ts'], cwd: folder })
    return typeScriptProgram(folder, 'openapi-typescript')
  },
}
