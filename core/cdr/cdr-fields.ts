/**
 * The type of a field decides how values are written and compared: text exactly, durations as whole numbers, dates as
 * epoch ms.
 */
export type FieldType = 'text' | 'integer' | 'decimal' | 'date'

const text = [
  'uuid',
  'parent_uuid',
  'leg',
  'direction',
  'domain_name',
  'presence_id',
  'caller_id_name',
  'caller_id_number',
  'destination_number',
  'extension',
  'network_addr',
  'source',
  'gateway',
  'hangup_cause',
  'hangup_disposition',
  'originate_disposition',
  'transfer_disposition',
] as const

const integer = [
  'duration',
  'billsec',
  'progresssec',
  'answersec',
  'waitsec',
  'holdsec',
  'talksec',
  'hangup_cause_q850',
] as const

/** Fields of a CDR with one value each. */
export const plainFields = [...text, 'created_time', ...integer, 'quality_percentage_audio'] as const

/** The name of a field with one value. */
export type PlainField = (typeof plainFields)[number]

/** The fields of each recording of a call. */
export const recordingFields = ['name', 'contentType', 'size', 'state'] as const

/** The prefix of each channel variable's name. */
export const variablePrefix = 'variables.'

const types: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ...text.map((name) => [name, 'text'] as const),
  ...integer.map((name) => [name, 'integer'] as const),
  ['created_time', 'date'],
  ['quality_percentage_audio', 'decimal'],
  ['recordings.name', 'text'],
  ['recordings.contentType', 'text'],
  ['recordings.size', 'integer'],
  ['recordings.state', 'text'],
])

/** Returns the type of a field of the contract; channel variables are text. Absent for every other name. */
export function fieldTypeOf(field: string): FieldType | undefined {
  return field.startsWith(variablePrefix) && field.length > variablePrefix.length ? 'text' : types.get(field)
}
