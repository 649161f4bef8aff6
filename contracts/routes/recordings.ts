import * as z from 'zod/mini'
import { callId } from '../fields.ts'
import { route } from './route.ts'
import { okInfo } from './shapes.ts'

const params = z.object({ uuid: callId })

const name = z.optional(
  z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255, 'must have at most 255 characters')),
)

const link = z.object({
  url: z.string(),
  /** Epoch milliseconds. */
  expires: z.int(),
  contentType: z.string(),
  size: z.int(),
})

const listed = z.object({
  uuid: z.string(),
  name: z.string(),
  'content-type': z.optional(z.string()),
  size: z.optional(z.int()),
  /** Epoch milliseconds. */
  createdOn: z.int(),
  status: z.enum(['stored', 'expected', 'failed', 'deleted']),
  hash: z.optional(z.string()),
  /** Its sound is not whole, for this reason. */
  incomplete: z.optional(z.literal(true)),
  reason: z.optional(z.string()),
})

/**
 * `GET /cdr/api/v2/files/<uuid>`: a recording of a call as a link (302), as JSON with the link (for a client that
 * accepts JSON and no recording), or as the bytes themselves with `redirect=false`. With `type=all`, the list of the
 * call's recordings.
 */
export const readRecording = route({
  operationId: 'readRecording',
  group: 'recordings',
  method: 'GET',
  path: '/cdr/api/v2/files/{uuid}',
  summary: 'Get a recording of a call, or the list of its recordings',
  authentication: 'token',
  permission: { resource: 'cdr/files', action: 'r', own: true },
  domain: 'required',
  needs: { recordings: ['list'], recordingFiles: ['head', 'sign', 'read'] },
  params,
  query: z.object({
    domain: z.optional(z.string()),
    file_name: z.optional(z.string()),
    type: z.optional(
      z
        .string()
        .check(z.regex(/^(?:all|[A-Za-z]+\/[A-Za-z0-9.+-]{1,64})$/, 'must be a media type such as audio/wav, or all')),
    ),
    name,
    redirect: z.optional(z.enum(['true', 'false'], 'must be true or false')),
  }),
  uncheckedQuery: ['file_name'],
  errors: ['bad_request', 'conflict'],
  response: z.union([link, z.array(listed)]),
  answers: ['json', 'redirect', 'bytes'],
  audited: true,
})

/** `DELETE /cdr/api/v2/files/<uuid>`: deletes all recordings of a call, or those with one name. */
export const deleteRecordings = route({
  operationId: 'deleteRecordings',
  group: 'recordings',
  method: 'DELETE',
  path: '/cdr/api/v2/files/{uuid}',
  summary: 'Delete recordings of a call',
  authentication: 'token',
  permission: { resource: 'cdr/files', action: 'd' },
  domain: 'required',
  needs: {
    recordings: ['list', 'markDeleted', 'markRemoved'],
    recordingFiles: ['remove'],
    cdrQueue: ['send'],
  },
  params,
  query: z.object({ domain: z.optional(z.string()), name }),
  errors: ['conflict'],
  response: okInfo(z.string()),
})

/** `PUT /cdr/api/v2/files/<uuid>/hold`: protects recordings of a call from deletion, or ends the protection. */
export const holdRecordings = route({
  operationId: 'holdRecordings',
  group: 'recordings',
  method: 'PUT',
  path: '/cdr/api/v2/files/{uuid}/hold',
  summary: 'Set or end the legal hold on recordings of a call',
  authentication: 'token',
  permission: { resource: 'cdr/files', action: 'u' },
  domain: 'required',
  needs: { recordings: ['list', 'read', 'setHold'], recordingFiles: ['hold'] },
  params,
  query: z.object({ domain: z.optional(z.string()), name }),
  body: z.object({ hold: z.boolean(), domain: z.optional(z.string()) }),
  errors: ['conflict'],
  response: okInfo(z.string()),
})
