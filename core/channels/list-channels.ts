import type { CommandOutcome } from '../commands/commands.ts'
import { DomainError } from '../errors.ts'
import { applyList } from '../requests/apply-list.ts'
import { handedOverBytes } from '../requests/json-bytes.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import { type Orderer, commandScope, requireDone } from './engine-reply.ts'

/** A live channel: a text for each field of the published list. */
export type ChannelRow = Readonly<Record<string, string>>

/** The requested channels among those in scope. */
export interface ChannelFilter {
  /** `<login>` or `<login>@<domain>` that the channel's presence id names. */
  readonly userId?: string | undefined
  readonly callstate?: string | undefined
  readonly direction?: string | undefined
}

/**
 * The most bytes of the rows of one page: a function's answer has 6 291 556 at most. 4 000 usual channels have some 5
 * 100 000.
 */
const maxListBytes = 5_500_000

/** The time limit of the list: by the contract it is 5 s old at most, and no client waits longer. */
export const listWaitMs = 8_000

/**
 * Lists the live channels in the caller's scope, by their age and then their uuid, each with exactly `fields` ("" for
 * unreported ones). Throws `engine_unavailable` when the engine did not return a list: a list that may be stale is
 * never shown.
 */
export async function listChannels(
  engine: Pick<CallEngine, 'run'>,
  orderer: Orderer,
  filter: ChannelFilter,
  fields: readonly string[],
): Promise<ChannelRow[]> {
  const outcome = await engine.run({ kind: 'list-channels' }, commandScope(orderer), listWaitMs)
  if (outcome === undefined || outcome.state === 'unknown') throw noList()
  return channelsOf(requireDone(outcome), fields).filter((row) => isWanted(row, filter))
}

/** The parsed rows of lists, by the outcome that contains them: requests with the same outcome share them. */
const readLists = new WeakMap<CommandOutcome, { readonly fields: string; readonly rows: ChannelRow[] }>()

function channelsOf(outcome: Extract<CommandOutcome, { state: 'done' }>, fields: readonly string[]): ChannelRow[] {
  const known = readLists.get(outcome)
  if (known?.fields === fields.join()) return known.rows
  const rows = rowsOf(outcome.text).map((row) => channelRow(row, fields))
  const ages = new Map(rows.map((row) => [row, age(row)]))
  rows.sort((left, right) => compared(ages.get(left) ?? '', ages.get(right) ?? ''))
  readLists.set(outcome, { fields: fields.join(), rows })
  return rows
}

function channelRow(row: Readonly<Record<string, unknown>>, fields: readonly string[]): ChannelRow {
  return isChannelRow(row, fields) ? row : Object.fromEntries(fields.map((name) => [name, textField(row, name)]))
}

function isChannelRow(row: Readonly<Record<string, unknown>>, fields: readonly string[]): row is ChannelRow {
  const names = Object.keys(row)
  return (
    names.length === fields.length && names.every((name, at) => name === fields[at] && typeof row[name] === 'string')
  )
}

/** Returns a page of channels by the rules of every list, in the published shape, with its headers. */
export function pageOfChannels(channels: readonly ChannelRow[], query: ListQuery, fields: readonly string[]) {
  const { rows, headers } = applyList(channels, query, {
    id: (row) => row['uuid'] ?? '',
    fields,
    order: age,
    weight: { of: (_row, shown) => weightOf(shown), most: maxListBytes },
  })
  return { data: { row_count: rows.length, rows: rows.map(({ item }) => item) }, headers }
}

function noList(cause?: unknown): DomainError {
  return new DomainError('engine_unavailable', 'the engine gave no list of its channels', {
    retryAfterSeconds: 5,
    cause,
  })
}

function rowsOf(text: string): Readonly<Record<string, unknown>>[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw noList(error)
  }
  if (typeof parsed !== 'object' || parsed === null || !('rows' in parsed) || !Array.isArray(parsed.rows)) {
    throw noList()
  }
  return parsed.rows.filter(
    (row: unknown): row is Readonly<Record<string, unknown>> => typeof row === 'object' && row !== null,
  )
}

function textField(row: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(row, name) ? row[name] : undefined
  return typeof value === 'string' ? value : ''
}

function isWanted(row: ChannelRow, { userId, callstate, direction }: ChannelFilter): boolean {
  return (
    (userId === undefined || isOf(row['presence_id'] ?? '', userId)) &&
    (callstate === undefined || row['callstate'] === callstate) &&
    (direction === undefined || row['direction'] === direction)
  )
}

function isOf(presenceId: string, userId: string): boolean {
  const id = presenceId.toLowerCase()
  const wanted = userId.toLowerCase()
  return wanted.includes('@') ? id === wanted : id.slice(0, id.lastIndexOf('@')) === wanted
}

/** Returns creation time and uuid as one text that sorts by both. Epoch seconds have ten digits. */
function age(row: ChannelRow): string {
  return `${(row['created_epoch'] ?? '').padStart(12, '0')}:${row['uuid'] ?? ''}`
}

function compared(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

/** The weights of whole rows: each is computed once, however many pages show it. */
const weights = new WeakMap<object, number>()

function weightOf(row: object): number {
  const weight = weights.get(row) ?? handedOverBytes(row)
  weights.set(row, weight)
  return weight
}
