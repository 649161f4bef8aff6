import { exportKey } from '../cdr/exports/export-job.ts'
import { eventNamesParty, namesParty } from './party.ts'
import type { ErasedPage, OpenErasure, PageDeps } from './run-erasure.ts'

/**
 * Removes events that name the party from the domain's list and from what its deliveries carry. Their ids are marked
 * first: by them the next step finds their deliveries.
 */
export async function eraseEvents({ eventTraces, erasures }: PageDeps, job: OpenErasure): Promise<ErasedPage> {
  const { domain, party, after } = job
  const { items, next } = await eventTraces.listEvents(domain, after)
  const isNamed = eventNamesParty(party)
  const named = items.filter(({ event }) => isNamed(event.fields))
  if (named.length > 0) {
    await erasures.mark(domain, [...new Set(named.map(({ event }) => event.id))])
    await eventTraces.removeEvents(domain, named)
  }
  return { counts: { events: named.length }, after: next }
}

/**
 * Removes deliveries of removed calls and events, and of those that have ended the ones whose receiver answered with
 * the party: no words of a receiver stop a delivery.
 */
export async function eraseDeliveries({ eventTraces, erasures }: PageDeps, job: OpenErasure): Promise<ErasedPage> {
  const { domain, party, after } = job
  const { items, next } = await eventTraces.listDeliveries(domain, after)
  const asked = new Set(items.flatMap(({ uuid, eventId }) => [uuid, eventId]).filter((name) => name !== ''))
  const names = [...asked].map((uuid) => ({ domain, uuid }))
  const pages = [names.slice(0, mostMarks), names.slice(mostMarks)]
  const marked = new Set((await Promise.all(pages.map((page) => erasures.listMarked(page)))).flat().map(uuidOf))
  const isNamed = namesParty(party)
  const named = items.filter(
    ({ uuid, eventId, attempts, state }) =>
      marked.has(uuid) ||
      marked.has(eventId) ||
      (state !== 'pending' && attempts.some(({ replySnippet = '' }) => isNamed(replySnippet))),
  )
  if (named.length > 0) await eventTraces.removeDeliveries(named)
  return { counts: { deliveries: named.length }, after: next }
}

/** Marks that are asked for at once; a page of deliveries has twice as many ids at most. */
const mostMarks = 100

const uuidOf = ({ uuid }: { readonly uuid: string }) => uuid

/** Removes the domain's exports of CDRs, whatever they hold: each lasts a day anyway. */
export async function eraseExports({ exports, exportFiles }: PageDeps, { domain }: OpenErasure): Promise<ErasedPage> {
  const jobs = await exports.list(domain)
  for (const job of jobs) {
    await exportFiles.remove(exportKey(job))
    await exports.remove(job)
  }
  return { counts: { exports: jobs.length } }
}
