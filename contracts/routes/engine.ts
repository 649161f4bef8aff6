import * as z from 'zod/mini'
import { okInfo } from './shapes.ts'
import { route } from './route.ts'

/** The longest that an engine with the kit waits for a lookup (PLATFORM_TIMEOUT). */
const patienceSeconds = 4

/**
 * How long an engine may keep an answer: whole milliseconds, or until the connector flushes it. The engine multiplies
 * milliseconds by 1 000 in 32 bits, so that longer times would end at once.
 */
const directoryCache = z
  .string()
  .check(
    z.regex(
      /^(?:until-flushed|[1-9]\d{0,5}|1\d{6}|20\d{5}|2100000)$/,
      'must be "until-flushed", or milliseconds from 1 to 2100000',
    ),
  )

/**
 * `POST /engine/directory`: the engine's own lookup of an account, form-encoded as its XML lookup module sends it and
 * answered in XML. Unknown names are answered `not found`, with status 200, as the engine expects. `cache` is for
 * engines with the settings of the engine kit: their phones are registered under full names, and answers may be kept.
 * With `purpose=gateways` it answers the gateways of all domains at the SIP profile `profile`, with their passwords.
 */
export const lookUpDirectory = route({
  operationId: 'lookUpDirectory',
  group: 'engine',
  method: 'POST',
  path: '/engine/directory',
  summary: 'Look an account up for the engine',
  authentication: 'engine',
  permission: null,
  domain: 'none',
  needs: {
    accounts: ['read', 'readByNumber'],
    domains: ['read', 'anyExists', 'list'],
    gateways: ['listAll'],
    secretBox: ['open'],
  },
  query: z.object({ cache: z.optional(directoryCache) }),
  form: z.object({
    section: z.optional(z.string()),
    key: z.optional(z.string()),
    tag_name: z.optional(z.string()),
    key_name: z.optional(z.string()),
    key_value: z.optional(z.string()),
    user: z.optional(z.string()),
    domain: z.optional(z.string()),
    action: z.optional(z.string()),
    purpose: z.optional(z.string()),
    profile: z.optional(z.string()),
    sip_auth_method: z.optional(z.string()),
    sip_to_user: z.optional(z.string()),
    sip_to_host: z.optional(z.string()),
    sip_contact_host: z.optional(z.string()),
  }),
  response: z.string(),
  responseType: 'text/xml',
  timeoutSeconds: patienceSeconds,
})

/**
 * `POST /engine/dialplan`: the engine's lookup of the dial plan for one call, with the data of its channel. Answered
 * with the applications of the call's route, or `not found`: the engine then uses its static dial plan. Calls of the
 * context `public` come from gateways, or from strangers, who get no route. `language` is the one that the engine's
 * mailboxes speak: a call in a language without phrases would end there.
 */
export const lookUpDialplan = route({
  operationId: 'lookUpDialplan',
  group: 'engine',
  method: 'POST',
  path: '/engine/dialplan',
  summary: 'Route a call for the engine',
  authentication: 'engine',
  permission: null,
  domain: 'none',
  needs: {
    accounts: ['read', 'readByNumber'],
    blacklists: ['read'],
    defaultRoutes: ['list', 'callflows'],
    publicRoutes: ['list', 'callflows'],
    gateways: ['list', 'read', 'listByNetwork'],
    domains: ['read'],
  },
  query: z.object({ language: z.optional(z.string().check(z.regex(/^[a-z]{2}$/, 'must be two letters such as en'))) }),
  // All variables of the channel, among them both descriptions of its media.
  maxBodyBytes: 1024 * 1024,
  form: z.catchall(z.object({ section: z.optional(z.string()) }), z.string()),
  response: z.string(),
  responseType: 'text/xml',
  timeoutSeconds: patienceSeconds,
})

/**
 * `POST /engine/cdr`: the engine's own CDR of a leg (mod_json_cdr), in each of the forms that the module writes.
 * docs/engine.md posts the CDRs from the engine's disk; a module that is configured to post them itself ends no call
 * before it has an answer, so the CDR is only queued here. Any status but 2xx means that the CDR was not accepted: both
 * senders try again.
 */
export const takeCdr = route({
  operationId: 'takeCdr',
  group: 'engine',
  method: 'POST',
  path: '/engine/cdr',
  summary: 'Take a CDR of the engine',
  authentication: 'engine',
  permission: null,
  domain: 'none',
  needs: { cdrQueue: ['send'] },
  // The largest recorded CDR has 13 KB; a call of many steps and transfers lists all of them.
  maxBodyBytes: 1024 * 1024,
  query: z.object({ uuid: z.string().check(z.minLength(1), z.maxLength(130)) }),
  rawBody: true,
  response: okInfo(z.literal('Queued.')),
})

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hexadecimal digits' }))

/** By parts of 8 MiB, the longest recording has 60. */
const partSums = z.string().check(
  z.regex(/^[0-9a-f]{64}(?:,[0-9a-f]{64}){0,59}$/, {
    error: 'must be the SHA-256 of each 8 MiB of the file, 64 lower-case hexadecimal digits each, separated by commas',
  }),
)

/** Up to 500 MB, by the contract. */
const recordingBytes = z.string().check(
  z.refine((text) => /^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= 500_000_000, {
    error: 'must be a number of bytes from 1 to 500000000',
  }),
)

/**
 * `POST /engine/recordings`: an engine offers the file of a recording (engine/bin/send-recordings): its name, the
 * folder that it is in (a domain, or empty), and the id of the call if the name has it. The first line of the answer is
 * its state: `upload` (each further line is a part that is missing, as
 * `<number> <bytes> <value of x-amz-checksum-sha256> <link>`; put them and ask again), `stored` or `deleted` (the file
 * is not needed any more), `unknown`, `recording` or `elsewhere` (ask later).
 */
export const uploadRecording = route({
  operationId: 'uploadRecording',
  group: 'engine',
  method: 'POST',
  path: '/engine/recordings',
  summary: 'Take a recording of an engine',
  authentication: 'engine',
  permission: null,
  domain: 'none',
  needs: {
    domains: ['read'],
    knownCalls: ['read'],
    recordings: ['list', 'listByFile', 'read', 'expect', 'claim', 'renew', 'markStored'],
    recordingFiles: ['beginUpload', 'signPart', 'listParts', 'completeUpload', 'abortUpload', 'head', 'remove', 'hold'],
    events: ['publish'],
    cdrQueue: ['send'],
  },
  form: z.object({
    domain: z.string().check(z.maxLength(253)),
    uuid: z.string().check(z.minLength(1), z.maxLength(255)),
    name: z.string().check(z.minLength(1), z.maxLength(255)),
    size: recordingBytes,
    sha256,
    parts: partSums,
    /** The sound by the header and the size of a WAV file, and whether the engine left that header unfinished. */
    sound_ms: z.optional(z.string().check(z.regex(/^[0-9]{1,12}$/, 'must be a number of milliseconds'))),
    unfinished: z.optional(z.enum(['true', 'false'], 'must be true or false')),
  }),
  errors: ['invalid_field', 'store_unavailable'],
  response: z.string(),
  responseType: 'text/plain',
})

/**
 * `POST /engine/voicemail`: an engine offers a message of a mailbox (engine/bin/send-voicemails), to be mailed to its
 * owner. The body's first line is the message as the engine's `vm_list` writes it; the bytes of its file follow only
 * when the platform has asked for them. The answer is one word: `audio` (offer it again with its bytes), `later` (offer
 * it again later), `done`, or `delete` (the same, and the owner wants it removed at the engine).
 */
export const takeVoicemail = route({
  operationId: 'takeVoicemail',
  group: 'engine',
  method: 'POST',
  path: '/engine/voicemail',
  summary: 'Take a message of a mailbox of an engine',
  authentication: 'engine',
  permission: null,
  domain: 'none',
  needs: {
    domains: ['read'],
    accounts: ['read'],
    emailSettings: ['read'],
    secretBox: ['open'],
    rateLimits: ['takeInWindow'],
    idempotency: ['create', 'takeOver', 'complete'],
    mail: ['send'],
    events: ['publish'],
  },
  // The longest audio of a mail, and its line. In base64 it is just below the 6 MB that a function takes.
  maxBodyBytes: 4 * 1024 * 1024 + 4096,
  query: z.object({ size: recordingBytes }),
  rawBody: true,
  errors: ['invalid_field', 'store_unavailable'],
  response: z.string(),
  responseType: 'text/plain',
})
