import { DomainError } from '../errors.ts'
import { applyList } from '../lists/apply-list.ts'
import type { ListQuery } from '../lists/list-query.ts'
import type { CallEngine } from '../ports.ts'
import { commandScope, type Orderer } from './command-scope.ts'
import { requireDone } from './engine-answer.ts'

/** A live channel: a text for each field of the published list. */
export type ChannelRow = Readonly<Record<string, string>>

/** Which of the channels in scope are wanted. */
export interface ChannelFilter {
  /** `<login>` or `<login>@<domain>` that the channel's presence id names. */
  readonly userId?: string | undefined
  readonly callstate?: string | undefined
  readonly direction?: string | undefined
}

/** How long the list may take; the contract wants it no older than 5 s, and nobody waits longer for a list. */
const listWaitMs = 8_000

/**
 * The live channels in the caller's scope, by their age and then their uuid, each with exactly `fields` ("" for what
 * the engine does not tell). Throws `engine_unavailable` when the engine did not give a list: a list that may be
 * stale is never shown.
 */
export async function listChannels(
  engine: Pick<CallEngine, 'run'>,
  orderer: Orderer,
  filter: ChannelFilter,
  fields: readonly string[],
): Promise<ChannelRow[]> {
  const outcome = await engine.run({ kind: 'list-channels' }, commandScope(orderer), listWaitMs)
  if (outcome === undefined || outcome.state === 'unknown') throw noList()
  return rowsOf(requireDone(outcome).text)
    .map((row) => Object.fromEntries(fields.map((name) => [name, textField(row, name)])))
    .filter((row) => isWanted(row, filter))
    .sort(byAge)
}

/** A page of channels by the rules that every list follows, in the shape of the published list, and its headers. */
export function pageOfChannels(channels: readonly ChannelRow[], query: ListQuery, fields: readonly string[]) {
  const { rows, headers } = applyList(channels, query, { id: (row) => row['uuid'] ?? '', fields, order: age })
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

/** A row's own text of a name. */
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

/** When a channel was created and which it is, as one text that sorts by both. Epoch seconds have ten digits. */
function age(row: ChannelRow): string {
  return `${(row['created_epoch'] ?? '').padStart(12, '0')}:${row['uuid'] ?? ''}`
}

function byAge(left: ChannelRow, right: ChannelRow): number {
  const [a, b] = [age(left), age(right)]
  return a < b ? -1 : Number(a > b)
}
