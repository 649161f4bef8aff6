import { expect, it } from 'vitest'
import { exactDocument, openApiDocument } from '../../../contracts/openapi/document.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { contractChanges } from '../../support/api/contract-changes.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a document that a test changes at will
type Changeable = any

const document = (): Changeable => structuredClone(openApiDocument(routes))
const schemaOf = (media: Changeable): Changeable => media.content['application/json'].schema

it('an API description that is compared with itself has no breaking change', () => {
  expect(contractChanges(document(), document())).toEqual([])
})

it.each<[title: string, change: (made: Changeable) => void, found: string]>([
  [
    'an operation that is gone',
    ({ paths }) => delete paths['/api/v2/whoami'].get,
    'GET /api/v2/whoami: the operation is gone',
  ],
  [
    'a path that is gone',
    ({ paths }) => delete paths['/api/v2/domains'],
    'POST /api/v2/domains: the operation is gone',
  ],
  [
    'another operation id',
    ({ paths }) => (paths['/login'].post.operationId = 'signIn'),
    'POST /login: the operation has another id',
  ],
  [
    'a credential for an open operation',
    ({ paths }) => (paths['/health'].get.security = [{ accessToken: [] }]),
    'GET /health: a credential is required now',
  ],
  [
    'a way of presenting a credential that is gone',
    ({ paths }) => paths['/api/v2/status'].get.security.pop(),
    'GET /api/v2/status: the credential accessToken is no longer accepted',
  ],
  [
    'a parameter that is gone',
    ({ paths }) =>
      (paths['/api/v2/channels'].get.parameters = paths['/api/v2/channels'].get.parameters.filter(
        ({ name }: Changeable) => name !== 'callstate',
      )),
    'GET /api/v2/channels: the parameter "query callstate" is gone',
  ],
  [
    'a parameter that is required now',
    ({ paths }) => paths['/api/v2/channels'].get.parameters.push({ name: 'node', in: 'query', required: true }),
    'GET /api/v2/channels: the parameter "query node" is required now',
  ],
  [
    'a narrower parameter',
    ({ paths }) =>
      (paths['/api/v2/channels'].get.parameters.find(({ name }: Changeable) => name === 'limit').schema.maximum = 500),
    'GET /api/v2/channels: the parameter "query limit" has a narrower maximum',
  ],
  [
    'a field of a body that is required now',
    ({ paths }) => schemaOf(paths['/api/v2/accounts'].post.requestBody).required.push('variables'),
    'POST /api/v2/accounts: the body requires "variables" now',
  ],
  [
    'a body that is required now',
    ({ paths }) => (paths['/login'].post.requestBody.required = true),
    'POST /login: a body is required now',
  ],
  [
    'another pattern',
    ({ paths }) => (schemaOf(paths['/api/v2/accounts'].post.requestBody).properties.login.pattern = '^a$'),
    'POST /api/v2/accounts: the body.login has another pattern',
  ],
  [
    'a word of a field that is no longer accepted',
    ({ paths }) => schemaOf(paths['/api/v2/channels/{channel_id}'].put.requestBody).properties.state.enum.pop(),
    'PUT /api/v2/channels/{channel_id}: the body.state lacks the value "unhold"',
  ],
  [
    'a member of an answer that is gone',
    ({ paths }) => delete schemaOf(paths['/login'].post.responses[200]).properties.expires,
    'POST /login: the answer 200 lacks "expires"',
  ],
  [
    'a member of an answer that may be absent',
    ({ paths }) => schemaOf(paths['/login'].post.responses[200]).required.shift(),
    'POST /login: the answer 200 may lack "key" now',
  ],
  [
    'another type in an answer',
    ({ paths }) => (schemaOf(paths['/login'].post.responses[200]).properties.expires.type = 'string'),
    'POST /login: the answer 200.expires is string now',
  ],
  [
    'an alternative of an answer that is gone',
    ({ paths }) =>
      schemaOf(paths['/api/v2/events'].get.responses[200]).properties.data.properties.gaps.items.oneOf.pop(),
    'GET /api/v2/events: the answer 200.data.gaps.items lacks an alternative',
  ],
  [
    'a status that is gone',
    ({ paths }) => delete paths['/login'].post.responses[404],
    'POST /login: the status 404 is gone',
  ],
  [
    'a header that is gone',
    ({ paths }) => delete paths['/api/v2/channels'].get.responses[200].headers['X-Next-Cursor'],
    'GET /api/v2/channels: the answer 200 lacks the header X-Next-Cursor',
  ],
  [
    'an error code that is gone',
    ({ components }) =>
      components.responses['401-invalid_token-token_expired'].content[
        'application/json'
      ].schema.allOf[1].properties.code.enum.pop(),
    'GET /api/v2/whoami: the answer 401.allOf[1].code lacks the value "token_expired"',
  ],
  [
    'a member of the error body that is gone',
    ({ components }) => delete components.schemas.Error.properties.requestId,
    'GET /api/v2/whoami: the answer 400.allOf[0] lacks "requestId"',
  ],
  [
    'a kind of value that a shared definition no longer has',
    ({ components }) => (components.schemas['testHookBodyPart1'].type = 'string'),
    'POST /api/v2/hooks/{hook_id}/test: the body.event.additionalProperties is string now',
  ],
])('a change of the contract is found: %s', (_, change, found) => {
  const changed = document()
  change(changed)

  expect(contractChanges(document(), changed)).toContain(found)
})

it('the portable form of an API description is no breaking change', () => {
  expect(contractChanges(structuredClone(exactDocument(routes)), document())).toEqual([])
})

it('additions to an API description are no breaking changes', () => {
  const grown = document()
  grown.paths['/api/v3/thing'] = { get: { operationId: 'thing', security: [], responses: {} } }
  schemaOf(grown.paths['/api/v2/accounts'].post.requestBody).properties.more = { type: 'string' }
  schemaOf(grown.paths['/login'].post.responses[200]).properties.more = { type: 'string' }
  grown.paths['/login'].post.responses[418] = { description: '' }
  grown.paths['/api/v2/channels'].get.parameters.push({ name: 'more', in: 'query', required: false, schema: {} })

  expect(contractChanges(document(), grown)).toEqual([])
})
