import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Client } from '../../../client/index.ts'
import { readEntry } from '../../../connector/buffer/log-entry.ts'
import { eventNameOf } from '../../../connector/runtime/engine.ts'
import type { ReceivedRequest } from '../../../local/demo/receiver.ts'
import type { CloudGate } from '../stores/cloud-gate.ts'
import { checkAllInvariants } from './invariants.ts'
import { type TestPlatform, tenantPassword } from '../platform/platform.ts'
import { filesBelow, planted } from './secret-forms.ts'

/** The bytes that events may take of a laptop's disk. */
const spoolBytes = 64 * 1024 * 1024

/** An event of an engine that stood on the disk of a connector, as it is to be published. */
export interface SpooledEvent {
  readonly id: string
  readonly name: string
  readonly domain: string
  readonly fields: Readonly<Record<string, string>>
}

/**
 * The events of engines on the disk of the connectors of a platform; none of a file that is taken over in this moment.
 */
export function spooledEvents({ dataDir }: TestPlatform): readonly SpooledEvent[] {
  const lines = spoolFiles(dataDir).flatMap((bytes) => bytes.toString().split('\n'))
  return lines.flatMap((line) => {
    // A line that is being written is not whole yet.
    const event = readEntry(Buffer.from(line))?.content.event
    const domain = event?.header('Event-Domain')
    if (event === undefined || domain === undefined) return []
    return {
      id: `${event.coreUuid}:${event.sequence}`,
      name: eventNameOf(event),
      domain,
      fields: event.headers(),
    }
  })
}

/** The files on the disk of the connectors. */
export function spoolFiles(dataDir: string): readonly Buffer[] {
  const folder = join(dataDir, 'connector', 'spool')
  try {
    return existsSync(folder) ? [...filesBelow(folder).values()] : []
  } catch {
    return []
  }
}

/** One tenant of the test. */
export interface OutageTenant {
  readonly domain: string
  readonly client: Client
  /** The hook on the event of the test, and its secret. */
  readonly hook: string
  readonly secret: string
  /** Every request that its receiver got of this event. */
  readonly received: readonly ReceivedRequest[]
}

/** The acts of a test on a connector. */
export interface Outage {
  readonly platform: TestPlatform
  readonly gate: CloudGate
  readonly event: string
  readonly tenant: OutageTenant
  /** The tenant that the fault does not concern; its events are published by the same connector. */
  readonly neighbour: OutageTenant
  /** The events of both that had to wait when the connector ended. */
  readonly waiting: readonly SpooledEvent[]
  /** The hook that was made while the fault lasted. */
  readonly hookMadeMeanwhile: string
  /** The call that was placed before the connector ended. */
  readonly call: string
  /** When the fault was over, epoch milliseconds. */
  readonly overAt: number
  /** Processes of the connector so far, those of earlier tests included. */
  readonly processes: number
}

/** Ends a test: every invariant is checked, by what the API, the receivers, the queue and the logs tell. */
export async function checkOutage(outage: Outage): Promise<void> {
  const { platform, gate, tenant, neighbour, waiting, event } = outage
  const listed = (await tenant.client.call('listHooks', { query: { domain: tenant.domain } })).data
  const hooks = new Set(listed.map(({ _id }) => _id))
  const rows = (await tenant.client.call('listChannels')).data.rows.filter((row) => row['uuid'] === outage.call)
  const own = await publishedTo(tenant, event)
  const others = await publishedTo(neighbour, event)
  const ofOthers = waiting.filter(({ domain }) => domain === neighbour.domain)
  const log = readFileSync(join(platform.dataDir, 'logs', 'connector.log'), 'utf8')
  const messages = gate.calls.filter(({ action }) => action === 'SendMessageBatch').map(({ input }) => input)
  const attempts = [...own, ...others].flatMap(({ deliveries }) => deliveries.flatMap((one) => one.attempts ?? []))
  checkAllInvariants({
    acknowledged: [
      { what: 'the earlier hook', isFound: hooks.has(tenant.hook) },
      { what: 'the hook that was made meanwhile', isFound: hooks.has(outage.hookMadeMeanwhile) },
      { what: 'the call', isFound: rows.length > 0 },
    ],
    events: {
      wanted: [
        ...waiting.map(({ id, domain }) => {
          const listed = (domain === tenant.domain ? own : others).filter((one) => one.id === id)
          const isTried = listed.some(({ deliveries }) => deliveries.some((one) => (one.attempts ?? []).length > 0))
          return { id, publishedAs: isTried ? [...listed.map((one) => one.id), ...sentAs(messages, id)] : [] }
        }),
        ...[...own, ...others].flatMap(({ deliveries, webhookIds }) =>
          deliveries.map(({ id = '' }) => ({ id, publishedAs: webhookIds })),
        ),
      ],
      recordedAsLost: 0,
    },
    commands: [{ id: outage.call, effects: rows.length, outcome: { state: 'done', text: '+OK' } }],
    others: {
      before: [ofOthers.map(({ fields }) => fields), [neighbour.domain]],
      after: [
        ofOthers.map(({ id }) => others.find((one) => one.id === id)?.fields),
        [...new Set(others.map(({ fields }) => fields['Event-Domain']))],
      ],
    },
    secrets: {
      values: [planted('root'), planted('engine'), tenantPassword('1000'), tenant.secret, neighbour.secret],
      seen: [
        ...[...filesBelow(join(platform.dataDir, 'logs')).values()].map((bytes) => bytes.toString('latin1')),
        ...messages,
        ...waiting,
        ...tenant.received,
        ...neighbour.received,
      ],
    },
    bounds: [
      { of: 'bytes on disk', value: JSON.stringify(waiting).length, limit: spoolBytes },
      { of: 'files on disk in the end', value: spoolFiles(platform.dataDir).length, limit: 0 },
      {
        of: 'lines on the queue',
        value: log.split('the event queue cannot be reached').length - 1,
        limit: 2 * outage.processes,
      },
      { of: 'messages of a batch', value: Math.max(...messages.map(entries).map(({ length }) => length)), limit: 10 },
      { of: 'attempts of a delivery', value: attempts.length, limit: own.length + others.length },
    ],
    backAfterMs: Math.max(...attempts.map(({ at }) => at)) - outage.overAt,
  })
}

/** The events of a name in a tenant's list, with their deliveries to its hook and the ids that its receiver saw. */
async function publishedTo({ client, domain, hook, received }: OutageTenant, event: string) {
  const { events } = (await client.call('listEvents', { query: { domain, limit: 1000 } })).data
  const params = { hook_id: hook }
  const deliveries = (await client.call('listDeliveries', { params, query: { domain, limit: 100 } })).data
  return events
    .filter(({ name }) => name === event)
    .map(({ sequence, event: fields }) => ({
      id: `${fields['Core-UUID']}:${fields['Event-Sequence']}`,
      fields,
      deliveries: deliveries.filter((one) => one.sequence === sequence),
      webhookIds: received
        .filter(({ headers }) => headers['webhook-sequence'] === `${sequence}`)
        .map(({ headers }) => String(headers['webhook-id'])),
    }))
}

function entries(input: Readonly<Record<string, unknown>>) {
  return z.parse(
    z.array(z.object({ MessageBody: z.string(), MessageDeduplicationId: z.optional(z.string()) })),
    input['Entries'],
  )
}

/** The ids under which copies of an event were sent to its queue, those included whose answer was lost. */
function sentAs(messages: readonly Readonly<Record<string, unknown>>[], id: string): string[] {
  return messages
    .flatMap(entries)
    .flatMap(({ MessageBody: body, MessageDeduplicationId: sent }) =>
      sent !== undefined && body.startsWith(`{"version":1,"id":"${id}"`) ? sent : [],
    )
}
