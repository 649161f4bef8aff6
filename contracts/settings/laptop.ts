import * as z from 'zod/mini'
import { type Rule, type Variable, anyText, folder, matching, optional, wholeNumber } from './setting.ts'

// The settings that only `npm start` has.

/** 0 takes a free port. */
const port = wholeNumber(0, 65_535)
const readers = ['laptop'] as const

const address: Rule<string> = {
  words: 'localhost or an IP address of this machine',
  schema: z.union([
    z.ipv4(),
    z.ipv6(),
    z.pipe(
      z.literal('localhost'),
      z.transform(() => '127.0.0.1'),
    ),
  ]),
}

const embedded = { rule: () => optional(webAddress()), fallback: '', unset: 'unset: embedded' }

function webAddress(): Rule<string> {
  const { words, schema } = matching(/^https?:\/\/[^\s/]/, 'an address such as http://127.0.0.1:8000')
  const url = schema.check(z.refine((text) => URL.canParse(text), `must be ${words}`))
  return {
    words,
    schema: z.pipe(
      url,
      z.transform((text) => text.replace(/\/$/, '')),
    ),
  }
}

export const apiPort = {
  variable: 'PORT',
  readers,
  rule: () => port,
  fallback: '8080',
  meaning: 'the port of the API; `GET /health` answers 200 when everything is up',
} as const satisfies Variable

export const host = {
  variable: 'HOST',
  readers,
  rule: () => address,
  fallback: '127.0.0.1',
  meaning: 'the address that the API listens on; engines on other machines need an address that they can reach',
} as const satisfies Variable

export const simulatedEnginePort = {
  variable: 'ENGINE_PORT',
  readers,
  rule: () => port,
  fallback: '8021',
  meaning: "the port of the simulated engine's event socket; its password is `ClueCon`",
} as const satisfies Variable

export const dataDir = {
  variable: 'DATA_DIR',
  readers,
  rule: () => anyText(),
  fallback: '.data',
  meaning:
    'the folder of all state and logs; events that wait for their queue take up to 64 MiB; the simulated engine records to `DATA_DIR/recordings`',
} as const satisfies Variable

const secret = { rule: () => optional(anyText()), fallback: '', unset: 'made at first start' }

export const recordingsDir = {
  variable: 'RECORDINGS_DIR',
  readers,
  rule: () => optional(folder()),
  fallback: '',
  unset: 'unset: not stored',
  meaning:
    'with `ENGINE_URL`: the folder that the engines record to, as this machine sees it; stored files are removed from it, unless engines are only observed',
} as const satisfies Variable

export const rootPassword = {
  variable: 'ROOT_PASSWORD',
  readers,
  ...secret,
  meaning: 'the password of the user `root`; kept in `DATA_DIR`, printed once',
} as const satisfies Variable

export const engineCredential = {
  variable: 'ENGINE_CREDENTIAL',
  readers,
  ...secret,
  meaning: 'the credential of engines at `/engine/*`; kept in `DATA_DIR`',
} as const satisfies Variable

export const dynamodbEndpoint = {
  variable: 'DYNAMODB_ENDPOINT',
  readers,
  ...embedded,
  meaning: 'another DynamoDB than the one that belongs to the platform of the machine',
} as const satisfies Variable

export const sqsEndpoint = {
  variable: 'SQS_ENDPOINT',
  readers,
  ...embedded,
  meaning: 'another SQS',
} as const satisfies Variable

export const s3Endpoint = {
  variable: 'S3_ENDPOINT',
  readers,
  ...embedded,
  meaning: 'another S3',
} as const satisfies Variable

export const openSearchUrl = {
  variable: 'OPENSEARCH_URL',
  readers,
  ...embedded,
  meaning: 'another OpenSearch; each start prepares it for CDRs',
} as const satisfies Variable
