import { openApiDocument } from '../../contracts/openapi/document.ts'
import examples from '../../contracts/openapi/examples.json' with { type: 'json' }
import { readApiDescription } from '../../contracts/routes/descriptions.ts'
import { routes } from '../../contracts/routes/index.ts'
import { endpoint } from '../endpoint.ts'

/** Made once: routes and examples do not change while a process lives. */
let document: ReturnType<typeof openApiDocument> | undefined

export const handler = endpoint(readApiDescription, {}, async () => ({
  ...(document ??= openApiDocument(routes, examples)),
}))
