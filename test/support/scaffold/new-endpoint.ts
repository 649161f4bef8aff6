/**
 * `npm run new-endpoint -- <group> <operationId> <METHOD> <path>` makes the files of an endpoint that works: its route
 * record, use case, handler and test, and its lines in the tables of tests. The endpoint answers with the caller's
 * domain until its use case is written.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { handlerName, routes } from '../../../contracts/routes/index.ts'
import { usageAsked } from '../../../local/toolchain.mjs'
import { parameterDescriptions } from '../../../contracts/openapi/parameter-descriptions.ts'
import { type NewEndpoint, endpointFiles, parametersIn, withLineBefore, withRecord } from './endpoint-files.ts'

const root = join(import.meta.dirname, '../../..')
const usage = `Makes the files of an endpoint that type check and pass their test. Four words:

  group         the resource: its folder in core, functions and test/unit, such as hooks
  operationId   the name, such as readReport
  METHOD        GET, POST, PUT, PATCH or DELETE
  path          such as /api/v2/reports/{report_id}`

if (usageAsked('npm run new-endpoint', usage)) process.exit(0)

if (process.argv.length === 2) {
  console.error(usage)
  process.exit(2)
}
const endpoint = readWords(process.argv.slice(2))
const problem = problemOf(endpoint)
if (problem !== undefined) {
  console.error(`${problem}; npm run new-endpoint -- --help shows what it takes`)
  process.exit(2)
}
make(endpoint)

function readWords([group = '', operationId = '', method = '', path = '']: readonly string[]): NewEndpoint {
  return { group, operationId, method: method.toUpperCase(), path }
}

function problemOf({ group, operationId, method, path }: NewEndpoint): string | undefined {
  if (!/^[a-z][a-z0-9-]*$/.test(group)) return 'the group must be of small letters, digits and hyphens'
  if (!/^[a-z][A-Za-z0-9]*$/.test(operationId)) return 'the operation id must be a name such as readReport'
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    return 'the method must be GET, POST, PUT, PATCH or DELETE'
  if (!/^(?:\/(?:[\w.-]+|\{[a-z]\w*\}))+$/.test(path)) return 'the path must be one such as /api/v2/reports/{report_id}'
  if (routes.some((route) => route.operationId === operationId)) return `there is an operation ${operationId} already`
  if (routes.some((route) => route.path === path && route.method === method))
    return `${method} ${path} is served already`
  // Before anything is changed: a refusal leaves no half of an endpoint.
  const present = endpointFiles({ group, operationId, method, path }, '').find((file) =>
    existsSync(join(root, file.path)),
  )
  return present === undefined ? undefined : `${present.path} exists already`
}

function make(given: NewEndpoint): void {
  const { group, operationId, method, path } = given
  const routesFile = routesFileOf(group)
  const isNew = !existsSync(join(root, 'contracts/routes', routesFile))
  change(`contracts/routes/${routesFile}`, (text) => withRecord(isNew ? undefined : text, given))
  if (isNew) register(group)
  for (const file of endpointFiles(given, routesFile)) write(file.path, file.text)
  const parameters = parametersIn(path)
  if (parameters.length > 0) {
    const params = parameters.map((name) => `${name}: 'example'`).join(', ')
    change('test/support/platform/route-requests.ts', (text) =>
      withLineBefore(text, 'readRole:', `  ${operationId}: () => ({ params: { ${params} } }),`),
    )
  }
  const undescribed = parameters.filter((name) => parameterDescriptions[`path ${name}`] === undefined)
  if (undescribed.length > 0) {
    const lines = undescribed.map((name) => `  'path ${name}': 'The ${name.replaceAll('_', ' ')}.',`)
    change('contracts/openapi/parameter-descriptions.ts', (text) =>
      withLineBefore(text, "'path account_id'", lines.join('\n')),
    )
  }
  const others = parameters.length === 0 ? '' : ", 'of another tenant': forAll, missing: forAll"
  change('test/unit/tenancy/caller-table.ts', (text) =>
    withLineBefore(text, 'readStatus: {', `  ${operationId}: { own: forAll${others} },`),
  )
  change('test/unit/tenancy/route-table.test.ts', (text) =>
    withLineBefore(text, 'GET /health open', `  ${method} ${path} any`),
  )
  console.log(`
${operationId} works: npx vitest run --project unit test/unit/${group}/${handlerName(operationId)}.test.ts

Next:
1. In contracts/routes/${routesFile}: what it takes and answers, who may call it, and the port methods that it needs.
2. In core/${group}/${handlerName(operationId)}.ts: what it does, with a test of each rule.
3. In test/unit/tenancy: what each caller is answered, in caller-table.ts and route-table.test.ts.
4. npm run openapi`)
}

/** Returns the file of `contracts/routes` that has the routes of a group, or the name of a new one. */
function routesFileOf(group: string): string {
  if (existsSync(join(root, 'contracts/routes', `${group}.ts`))) return `${group}.ts`
  const files = readdirSync(join(root, 'contracts/routes'))
  const found = files.find((file) =>
    readFileSync(join(root, 'contracts/routes', file), 'utf8').includes(`  group: '${group}',`),
  )
  return found ?? `${group}.ts`
}

/** Adds a new routes file to the list of all, and its group to the API description. */
function register(group: string): void {
  const name = group.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  change('contracts/routes/index.ts', (text) =>
    withLineBefore(
      withLineBefore(text, "import type { Route } from './route.ts'", `import * as ${name} from './${group}.ts'`),
      '  status,',
      `  ${name},`,
    ),
  )
  const subject = `${group.charAt(0).toUpperCase()}${group.slice(1).replaceAll('-', ' ')}`
  change('contracts/openapi/document.ts', (text) =>
    withLineBefore(text, "  status: 'State", `  ${name === group ? group : `'${group}'`}: '${subject}',`),
  )
}

function change(path: string, edit: (text: string) => string): void {
  const file = join(root, path)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  writeFileSync(file, edit(before))
  console.log(`${before === '' ? 'made' : 'changed'} ${path}`)
}

function write(path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`made ${path}`)
}
