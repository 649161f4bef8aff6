import { describe, expect, it } from 'vitest'
import { exactDocument, openApiDocument } from '../../../contracts/openapi/document.ts'
import { portable } from '../../../contracts/openapi/portable.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { portabilityProblems } from '../../support/api/portability-problems.ts'

const license = { info: { license: { name: 'a license', identifier: 'LicenseRef-x' } } }

describe('the published document', () => {
  it('keeps every rule that generators of clients need', () => {
    expect(portabilityProblems(openApiDocument(routes))).toEqual([])
  })

  it('names its license, without which a generated package cannot be installed', () => {
    expect(openApiDocument(routes).info).toMatchObject({ license: { name: 'All rights reserved' } })
  })

  it('is no longer changed by being made portable again', () => {
    const document = openApiDocument(routes)

    expect(portable(document)).toEqual(document)
  })

  it('lacks no member of the exact one', () => {
    const namesOf = (part: unknown): string[] =>
      typeof part !== 'object' || part === null
        ? []
        : Object.entries(part).flatMap(([name, value]) =>
            (name === 'properties' ? Object.keys(Object(value)) : []).concat(namesOf(value)),
          )

    const names = new Set(namesOf(openApiDocument(routes)))

    expect(namesOf(exactDocument(routes)).filter((name) => !names.has(name))).toEqual([])
  })
})

describe('a portable form', () => {
  it.each([
    ['an integer', { type: 'integer' }, { type: 'integer', format: 'int64' }],
    ['an integer or null', { type: ['integer', 'null'] }, { type: ['integer', 'null'], format: 'int64' }],
    ['any number', { type: 'number' }, { type: 'number', format: 'double' }],
    ['null alone', { type: 'null' }, { type: ['number', 'null'], format: 'double' }],
    ['null and another form', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: ['string', 'null'] }],
    [
      'null and an enumeration',
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['null and an enumeration without a type', { anyOf: [{ enum: ['a'] }, { type: 'null' }] }, { enum: ['a', null] }],
    [
      'null and a constant',
      { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'an enumeration or a list',
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', const: 'b' },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      { items: { type: 'string' }, description: 'One of: string, string, array.' },
    ],
    ['asterisks', { type: 'string', const: '****' }, { type: 'string', description: 'Always `"****"`.' }],
    ['a number that is constant', { type: 'number', const: 1 }, { type: 'number', format: 'double' }],
    ['a name that is constant', { type: 'string', const: 'OK' }, { type: 'string', const: 'OK' }],
    ['several types', { type: ['string', 'boolean'] }, { description: 'One of: string, boolean.' }],
    [
      'a text or a list, or null',
      {
        anyOf: [
          {
            anyOf: [
              { type: 'string', maxLength: 9 },
              { type: 'array', items: { type: 'string' } },
            ],
          },
          { type: 'null' },
        ],
      },
      { maxLength: 9, items: { type: 'string' }, description: 'One of: string, array.' },
    ],
    [
      'an object or a list of them',
      {
        anyOf: [
          { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
          { type: 'array', items: { type: 'object' } },
        ],
      },
      { properties: { id: { type: 'string' } }, required: ['id'], items: { type: 'object' } },
    ],
    [
      'a media type without a schema',
      { content: { '*/*': {} } },
      { content: { '*/*': { schema: { format: 'binary' } } } },
    ],
    [
      'a field called content',
      { properties: { content: { type: 'string' } } },
      { properties: { content: { type: 'string' } } },
    ],
    ['an example', { example: { type: 'null', const: '?' } }, { example: { type: 'null', const: '?' } }],
  ])('of %s keeps every rule', (_name, exact, expected) => {
    const form = portable(exact)

    expect(form).toMatchObject(expected)
    for (const closed of ['const', 'enum']) expect(Object.hasOwn(form, closed)).toBe(Object.hasOwn(expected, closed))
    expect(portabilityProblems({ ...license, form })).toEqual([])
  })
})

describe('a document that a generator cannot use', () => {
  it.each([
    [{ type: 'integer' }, 'a number has no format'],
    [{ type: ['number', 'null'] }, 'a number has no format'],
    [{ type: 'null' }, 'null is the only type'],
    [{ type: ['string', 'boolean'] }, 'a choice of types'],
    [{ const: '********' }, 'cannot be an identifier'],
    [{ const: 'two\nlines' }, 'cannot be an identifier'],
    [{ const: 1 }, 'cannot be an identifier'],
    [{ prefixItems: [{ type: 'string' }] }, 'a tuple'],
    [{ content: { '*/*': {} } }, '*/* has no schema'],
    [{ oneOf: [{ type: 'string' }, { type: 'array' }] }, 'a list among its forms'],
  ])('is refused for %j', (part, problem) => {
    const problems = portabilityProblems({ ...license, paths: { part } })

    expect(problems).toEqual([expect.stringContaining(problem)])
  })

  it('is refused without a license', () => {
    expect(portabilityProblems({ info: {} })).toEqual(['info has no license with a name and an identifier'])
  })
})
