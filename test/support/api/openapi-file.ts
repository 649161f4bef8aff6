/**
 * `npm run openapi` writes docs/api/openapi.json and client/operations.ts from contracts/routes, and
 * contracts/openapi/examples.json from requests to a platform in memory. With `--check` it writes nothing, and fails if
 * a file differs, if the document is not valid, if a generator of clients could not use it, or if it removes or narrows
 * something that a committed version promised.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { exactDocument, openApiDocument } from '../../../contracts/openapi/document.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { takeNoOptions } from '../../../local/toolchain.mjs'
import { clientOperations } from './client-types.ts'
import { contractChanges } from './contract-changes.ts'
import { portabilityProblems } from './portability-problems.ts'
import { recordExamples } from './record-examples.ts'

const root = join(import.meta.dirname, '../../..')
const name = 'docs/api/openapi.json'
const file = join(root, name)
const clientName = 'client/operations.ts'
const clientFile = join(root, clientName)
const examplesName = 'contracts/openapi/examples.json'
/** Committed versions from this moment on are promises; the first release has the one of this moment. */
const promisedSince = '2026-11-27T04:46:32+00:00'

const isCheck = process.argv.includes('--check')
// The option is for `npm run check`.
if (!isCheck) {
  takeNoOptions(
    'npm run openapi',
    `Writes ${name}, ${examplesName} and ${clientName} from the route records in contracts/routes.`,
  )
}

const examples = await recordExamples()
const examplesText = `${JSON.stringify(examples, null, 2)}\n`
const document = openApiDocument(routes, examples)
const text = `${JSON.stringify(document, null, 2)}\n`
const clientText = clientOperations(routes, exactDocument(routes))

if (isCheck) await check()
else {
  mkdirSync(join(root, 'docs/api'), { recursive: true })
  writeFileSync(file, text)
  writeFileSync(clientFile, clientText)
  writeFileSync(join(root, examplesName), examplesText)
}

async function check(): Promise<void> {
  const { valid, errors } = await new Validator().validate(JSON.parse(text))
  if (!valid) fail(`the document of the API is not valid OpenAPI: ${JSON.stringify(errors)}`)
  for (const problem of portabilityProblems(document)) fail(`generators cannot use the document of the API: ${problem}`)
  for (const [path, current] of [
    [name, text],
    [clientName, clientText],
    [examplesName, examplesText],
  ] as const) {
    if (!existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== current) {
      fail(`${path} is not what contracts/routes say: run "npm run openapi" and commit the file`)
    }
  }
  const changes = promisedVersions().flatMap((promised) => contractChanges(promised, document))
  for (const change of new Set(changes)) fail(`the API promised more before. ${change}`)
}

/**
 * Returns the committed versions of the document that are promises, whatever became of them. Without a history there
 * are none.
 */
function promisedVersions(): unknown[] {
  if (!existsSync(join(root, '.git'))) return []
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  return git('log', '--format=%H', `--since=${promisedSince}`, '--', name)
    .split('\n')
    .filter((commit) => commit !== '' && git('ls-tree', commit, '--', name) !== '')
    .map((commit): unknown => JSON.parse(git('show', `${commit}:${name}`)))
}

function fail(problem: string): void {
  console.error(problem)
  process.exitCode = 1
}
