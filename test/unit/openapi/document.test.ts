import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { openApiDocument } from '../../../contracts/openapi/document.ts'
import { parameterDescriptions } from '../../../contracts/openapi/parameter-descriptions.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { route } from '../../../contracts/routes/route.ts'

const document = openApiDocument(routes)
// oxlint-disable-next-line typescript/no-explicit-any -- an operation's members are judged by matchers
const operationOf = (path: string, method: string): any => document.paths[path]?.[method]

it('the API description is valid OpenAPI 3.1', async () => {
  const validator = new Validator()

  const result = await validator.validate(JSON.parse(JSON.stringify(document)))

  expect(result).toMatchObject({ valid: true })
  expect(validator.version).toBe('3.1')
})

it('every method of every route is an operation with a unique id', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const ids = operations.map((operation) => Reflect.get(operation, 'operationId'))

  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBe(routes.reduce((sum, { otherMethods = [] }) => sum + 1 + otherMethods.length, 0))
  expect(ids).toEqual(expect.arrayContaining(routes.map(({ operationId }) => operationId)))
})

it('every group of operations has a description', () => {
  const { tags } = document

  expect(tags.filter((tag) => !('description' in tag))).toEqual([])
})

it('operations without a credential are marked as such, and those of the engine have its credential', () => {
  expect(operationOf('/login', 'post').security).toEqual([])
  expect(operationOf('/health', 'head').security).toEqual([])
  expect(operationOf('/engine/directory', 'post').security).toEqual([{ engine: [] }])
  expect(operationOf('/api/v2/status', 'get').security).toEqual([{ accessToken: [], key: [] }, { accessToken: [] }])
})

it('every group of operations has a description of more than its name', () => {
  const silent = document.tags.filter((tag) => !Object.hasOwn(tag, 'description'))

  expect(silent).toEqual([])
})

it('a number in a query is described as a number', () => {
  expect(operationOf('/api/v2/channels', 'get').parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: expect.any(String),
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 1000 },
  })
})

it('every parameter of an operation says what it means, and no description is left over', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const parameters = operations.flatMap((operation): { in?: string; name?: string; description?: unknown }[] =>
    'parameters' in operation && Array.isArray(operation.parameters) ? operation.parameters : [],
  )
  const named = parameters.filter(({ name }) => name !== undefined)

  const silent = named.filter(({ description }) => description === undefined)

  const keyOf = (each: (typeof named)[number]) => `${each.in} ${each.name}`
  expect(silent.map(keyOf), 'write them in contracts/openapi/parameter-descriptions.ts').toEqual([])
  const used = new Set(named.map(keyOf))
  expect(Object.keys(parameterDescriptions).filter((key) => !used.has(key))).toEqual([])
})

it('no pattern of the API description has a lookbehind, which several other regex engines refuse', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
    JSON.parse(text),
  )

  expect(patterns.length).toBeGreaterThan(10)
  expect(patterns.filter((pattern) => /\(\?<[=!]/.test(pattern))).toEqual([])
})

it('the order of the route records changes no path and no component', () => {
  const { paths, components } = openApiDocument(routes.toReversed())

  expect(JSON.stringify(paths)).toBe(JSON.stringify(document.paths))
  expect(Object.keys(components['responses'] ?? {})).toEqual(Object.keys(document.components['responses'] ?? {}))
})

it('a schema that cannot be written as JSON Schema is refused', () => {
  const declared = route({
    operationId: 'readThing',
    group: 'things',
    method: 'GET',
    path: '/things',
    summary: 'Read a thing',
    authentication: 'none',
    permission: null,
    domain: 'none',
    needs: {},
    response: z.custom<string>((value) => value === 'thing'),
  })

  expect(() => openApiDocument([declared])).toThrow('a schema without a JSON Schema')
})
