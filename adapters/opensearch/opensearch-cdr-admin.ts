import * as z from 'zod/mini'
import { environment } from '../../contracts/environment.ts'
import type { CdrAdmin } from '../../core/cdr/cdr-admin.ts'
import { type RetryDeps, retry } from '../../core/concurrency/retry.ts'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { retryDeps } from '../system/system-time.ts'
import { type OpenSearchResponse, type SendToOpenSearch, askOpenSearch, searchRefused } from './client.ts'
import { cdrMappings, cdrTemplates } from './index-template.ts'

/** Changes of the cluster's own state wait for all of its nodes. */
const TIMEOUT_MS = 20_000

/**
 * A store that was just created does not know the roles of its account yet, and is busy: what it refuses with 403, 429
 * or 5xx is asked again, for about a minute and a half in all.
 */
const patience = { attempts: 15, backoff: { firstMs: 500, longestMs: 8_000 } }

const everyIndex = { index: ['cdr-a-*', 'cdr-b-*'], allow_no_indices: true, ignore_unavailable: true }

/** Returns whether an answer shows that the store has no such path, as one that is embedded has no list of indices. */
function knowsNoPath({ status, body }: OpenSearchResponse): boolean {
  return status === 405 || status === 501 || (status === 400 && JSON.stringify(body).includes('no handler found'))
}

interface AdminContext extends AdapterContext {
  readonly waits: RetryDeps
}

/** The preparation of the OpenSearch at `OPENSEARCH_URL`. */
export function openSearchCdrAdmin(given: AdapterContext, waits: RetryDeps = retryDeps): CdrAdmin {
  const context = { ...given, waits }
  const templates = cdrTemplates(Number(given.env[environment.cdrShards] ?? 1))
  return {
    async prepare() {
      for (const [name, template] of Object.entries(templates)) {
        await change(context, (client, options) => client.indices.putIndexTemplate({ name, body: template }, options))
      }
      // Existing indices learn the new fields.
      const { dynamic, properties } = cdrMappings
      await change(context, (client, options) =>
        client.indices.putMapping({ ...everyIndex, body: { dynamic, properties } }, options),
      )
    },
    async removeEmpty(before) {
      // Only refreshed CDRs are counted.
      await change(context, (client, options) => client.indices.refresh(everyIndex, options))
      const wanted = { index: 'cdr-*', format: 'json' as const, h: ['index', 'docs.count'] }
      const listed = await ask(context, (client, options) => client.cat.indices(wanted, options))
      if (knowsNoPath(listed)) return
      if (listed.status >= 300) throw searchRefused(listed)
      const names = z
        .parse(listedIndices, listed.body)
        .filter((index) => index['docs.count'] === '0' && endOfMonth(index.index) < before)
      for (const { index } of names)
        await change(context, (client, options) => client.indices.delete({ index }, options))
    },
  }
}

const listedIndices = z.array(z.object({ index: z.string(), 'docs.count': z.nullable(z.string()) }))

/** Returns when the month of an index ends, epoch milliseconds; `NaN`, which is before nothing, for another name. */
function endOfMonth(index: string): number {
  const [, year, month] = /^cdr-[ab]-(\d{4})-(\d{2})$/.exec(index) ?? []
  return Date.UTC(Number(year), Number(month))
}

async function ask(context: AdminContext, send: SendToOpenSearch): Promise<OpenSearchResponse> {
  const askOnce = async () => {
    const answer = await askOpenSearch(context, { timeoutMs: TIMEOUT_MS }, send)
    if (answer.status === 403) throw new NotAdmitted(answer)
    return answer
  }
  const mayPass = (problem: unknown) =>
    problem instanceof NotAdmitted || (problem instanceof DomainError && problem.code === 'search_unavailable')
  try {
    return (await retry(askOnce, context.waits, { ...patience, mayPass })).value
  } catch (problem) {
    throw problem instanceof NotAdmitted ? searchRefused(problem.answer) : problem
  }
}

class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
  readonly answer: OpenSearchResponse

  constructor(answer: OpenSearchResponse) {
    super('the search store answered 403')
    this.answer = answer
  }
}

async function change(context: AdminContext, send: SendToOpenSearch): Promise<void> {
  const answer = await ask(context, send)
  if (answer.status >= 300) throw searchRefused(answer)
}
