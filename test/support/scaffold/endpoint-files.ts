import { handlerName } from '../../../contracts/routes/index.ts'

/** A new endpoint, as it is named on the command line. */
export interface NewEndpoint {
  readonly group: string
  readonly operationId: string
  readonly method: string
  readonly path: string
}

/** A file to make: its path in the repository and its text. */
export interface MadeFile {
  readonly path: string
  readonly text: string
}

/** Returns the words of an operation id: `readReport` is "Read report". */
function summaryOf(operationId: string): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Returns the names of the parameters of a path. */
export function parametersIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Returns the route record, to be added to a file of `contracts/routes`. */
function recordText({ group, operationId, method, path }: NewEndpoint): string {
  const parameters = parametersIn(path)
  const params = parameters.map((name) => `${name}: z.string()`).join(', ')
  return `
/** \`${method} ${path.replaceAll(/\{(\w+)\}/g, '<$1>')}\` */
export const ${operationId} = route({
  operationId: '${operationId}',
  group: '${group}',
  method: '${method}',
  path: '${path}',
  summary: '${summaryOf(operationId)}',
  authentication: 'token',
  permission: null,
  domain: 'required',
  needs: {},${parameters.length === 0 ? '' : `\n  params: z.object({ ${params} }),`}
  response: okData(z.object({ domain: z.string() })),
})
`
}

/** Returns the use case, the handler and the test of an endpoint. */
export function endpointFiles(endpoint: NewEndpoint, routesFile: string): readonly MadeFile[] {
  const { group, operationId } = endpoint
  const name = handlerName(operationId)
  return [
    { path: `core/${group}/${name}.ts`, text: useCaseText(endpoint) },
    { path: `functions/${group}/${name}.ts`, text: handlerText(endpoint, routesFile) },
    { path: `test/unit/${group}/${name}.test.ts`, text: testText(endpoint) },
  ]
}

function useCaseText({ operationId }: NewEndpoint): string {
  return `/** Returns the domain that the caller works in. */
export async function ${operationId}(domain: string): Promise<{ readonly domain: string }> {
  return { domain }
}
`
}

function handlerText({ group, operationId }: NewEndpoint, routesFile: string): string {
  return `import * as routes from '../../contracts/routes/${routesFile}'
import { ${operationId} } from '../../core/${group}/${handlerName(operationId)}.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(routes.${operationId}, {}, async ({ domain }) => okData(await ${operationId}(domain)))
`
}

function testText({ group, operationId, path }: NewEndpoint): string {
  const name = handlerName(operationId)
  const parameters = parametersIn(path)
  const params = parameters.map((each) => `${each}: 'example'`).join(', ')
  const request = parameters.length === 0 ? '' : `, params: { ${params} }`
  return `import { expect, it } from 'vitest'
import { handler as ${operationId} } from '../../../functions/${group}/${name}.ts'
import { anApi } from '../../support/platform/api.ts'

it('${operationId} answers the domain of the caller', async () => {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ domain: 'a.example.com' }))) }

  const { status, body } = await api.call(${operationId}, { headers${request} })

  expect(status).toBe(200)
  expect(body).toEqual({ status: 'OK', data: { domain: 'a.example.com' } })
})
`
}

/**
 * Returns the text of a routes file with a record added, and with the imports that the record needs. `undefined` stands
 * for a file that does not exist yet.
 */
export function withRecord(text: string | undefined, endpoint: NewEndpoint): string {
  const given =
    text ?? "import * as z from 'zod/mini'\nimport { route } from './route.ts'\nimport { okData } from './shapes.ts'\n"
  const shapes = /import \{ ([^}]*) \} from '\.\/shapes\.ts'\n/
  const imported = shapes.exec(given)?.[1]?.split(', ')
  const names = [...new Set([...(imported ?? []), 'okData'])].toSorted()
  const line = `import { ${names.join(', ')} } from './shapes.ts'\n`
  const withShapes =
    imported === undefined
      ? given.replace("import { route } from './route.ts'\n", (each) => `${each}${line}`)
      : given.replace(shapes, line)
  return withShapes + recordText(endpoint)
}

/** Returns a text with a line before the first one that contains a marker. Throws if there is none. */
export function withLineBefore(text: string, marker: string, line: string): string {
  const at = text.split('\n').findIndex((each) => each.includes(marker))
  if (at === -1) throw new Error(`there is no line with ${marker}`)
  return text.split('\n').toSpliced(at, 0, line).join('\n')
}
