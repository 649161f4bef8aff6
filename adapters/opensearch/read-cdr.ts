import * as z from 'zod/mini'
import type { Cdr } from '../../core/cdr/cdr.ts'
import { sourceNames } from './stored-cdr.ts'

const text = z.optional(z.string())
const number = z.optional(z.number())

const recording = z.object({
  name: z.string(),
  contentType: z.string(),
  size: z.number(),
  state: z.enum(['expected', 'stored', 'failed', 'deleted']),
})

/** A schema that names the path of each variable would cost more than the rest of a search's answer. */
function isTexts(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}

/** A CDR in the source of a document. */
export const cdrSchema = z.object({
  uuid: z.string(),
  domain_name: z.string(),
  leg: z.enum(['a', 'b']),
  created_time: z.number(),
  parent_uuid: text,
  direction: text,
  presence_id: text,
  caller_id_name: text,
  caller_id_number: text,
  destination_number: text,
  extension: text,
  network_addr: text,
  source: text,
  gateway: text,
  duration: number,
  billsec: number,
  progresssec: number,
  answersec: number,
  waitsec: number,
  holdsec: number,
  talksec: number,
  hangup_cause: text,
  hangup_cause_q850: number,
  hangup_disposition: text,
  originate_disposition: text,
  transfer_disposition: text,
  quality_percentage_audio: number,
  recordings: z.optional(z.array(recording)),
  variables: z._default(z.custom<Readonly<Record<string, string>>>(isTexts), {}),
}) satisfies z.ZodMiniType<Cdr>

/** The part of a document that the merge needs in addition to its CDR. */
export const keptSchema = z.object({
  source: z.enum(sourceNames),
  weaker: z.record(z.string(), z.enum(sourceNames)),
  hasSetRecordings: z.boolean(),
})
