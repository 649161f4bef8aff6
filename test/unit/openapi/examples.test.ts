import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../contracts/openapi/document.ts'
import examples from '../../../contracts/openapi/examples.json' with { type: 'json' }
import { routes } from '../../../contracts/routes/index.ts'
import { markedIn } from '../../support/invariants/secret-forms.ts'
import { plainValue } from '../../support/api/plain-value.ts'

interface Media {
  readonly schema?: object
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

const id = 'https://api.test/openapi.json'
const document = JSON.parse(
  JSON.stringify(openApiDocument(routes, examples)).replaceAll('"$ref":"#/', `"$ref":"${id}#/`),
)
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: id, components: document.components })

/** Every described body of a request or of a success, with its example. */
const bodies = Object.values<Record<string, Operation>>(document.paths).flatMap((item) =>
  Object.values(item).flatMap(({ operationId, requestBody, responses }) =>
    mediaIn(`the request of ${operationId}`, requestBody?.content).concat(
      mediaIn(`the answer of ${operationId}`, responses['200']?.content),
    ),
  ),
)

function mediaIn(name: string, content: Readonly<Record<string, Media>> = {}): [string, Media][] {
  return Object.values(content)
    .filter(({ schema }) => schema !== undefined && !isBytes(schema))
    .map((media) => [name, media])
}

function isBytes(schema: object): boolean {
  return 'format' in schema && schema.format === 'binary'
}

interface Refusal {
  readonly codes: readonly string[]
  readonly schema: object
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>
}

/** Every response of a status 4xx, by its name: the status and its codes. */
const refusals = Object.entries<{
  content: { 'application/json': { schema: object; examples?: Refusal['examples'] } }
}>(document.components.responses)
  .filter(([name]) => name.startsWith('4'))
  .map(([name, { content }]): [string, Refusal] => {
    const { schema, examples: shown = {} } = content['application/json']
    return [name, { codes: name.split('-').slice(1), schema, examples: shown }]
  })

/** Whole documents, and a page. */
const withoutExample = ['readApiDescription', 'readEventDescription', 'readReference'].map(
  (operation) => `the answer of ${operation}`,
)

describe('the examples of the API description', () => {
  it('every described body has an example, except for the descriptions themselves', () => {
    const lacking = bodies.filter(([, { example }]) => example === undefined).map(([name]) => name)

    expect(lacking.toSorted()).toEqual(withoutExample)
  })

  it.each(bodies.filter(([, { example }]) => example !== undefined))(
    'the example of %s is valid against its schema',
    (_name, { schema = {}, example }) => {
      const isValid = ajv.validate(schema, example)

      expect(isValid ? [] : ajv.errors).toEqual([])
    },
  )

  it('every code of a status 4xx that an operation can answer has a recorded example', () => {
    const lacking = refusals.flatMap(([, { codes, examples: shown }]) =>
      codes.filter((code) => shown[code] === undefined),
    )

    expect(refusals.length).toBeGreaterThan(10)
    expect([...new Set(lacking)]).toEqual([])
  })

  it.each(refusals)(
    'the examples of the refusal %s are valid against its schema',
    (_name, { schema, examples: shown }) => {
      for (const [code, { value }] of Object.entries(shown)) {
        expect(value).toMatchObject({ code })
        expect(ajv.validate(schema, value) ? [] : ajv.errors).toEqual([])
      }
    },
  )

  it('the examples contain no secret of the tests that they were recorded from', () => {
    expect(markedIn(Buffer.from(JSON.stringify(examples)))).toEqual([])
    expect(JSON.stringify(examples)).not.toMatch(/whsec_[^*]|eyJ[\w-]{8}/)
  })
})

it('equal ids in an example stay equal and different ones different, whatever they were', () => {
  const [one, other] = ['0d3d3d0e-8c1f-4f6c-9a43-0c7e1f2b3a4d', '2b8e1c7e-6a1e-4b1d-9f0e-2d0a4c5b6e7f']

  const plain = plainValue({ a: one, b: [other, `call ${one}`], password: 'planted' }, { operationId: 'any' })

  expect(plain).toEqual({
    a: '6f1c7a1e-6a1e-4b1d-9f0e-000000000001',
    b: ['6f1c7a1e-6a1e-4b1d-9f0e-000000000002', 'call 6f1c7a1e-6a1e-4b1d-9f0e-000000000001'],
    password: '********',
  })
})
