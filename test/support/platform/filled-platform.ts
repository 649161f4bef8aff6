/** Platforms that every call of a table of tests finds as they were filled, over memory and over DynamoDB. */
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { deleteItem, putItem, tableName } from '../../../adapters/dynamodb/client.ts'
import type { AdapterContext } from '../../../adapters/context.ts'
import type { Item } from '../../../adapters/dynamodb/client.ts'
import { tables } from '../../../contracts/resources.ts'
import { type Api, anApi } from './api.ts'
import { type StoredItem, storedItems } from '../stores/dump.ts'
import { startDynamoServer } from '../stores/dynamo-server.ts'
import { dynamoStores } from '../stores/stores.ts'

/** A platform, what its filling answered, and a look at all that it keeps. */
export interface FilledPlatform<T> {
  readonly api: Api
  readonly filled: T
  /** The names of its stores. */
  readonly stores: readonly string[]
  /** Every record of every store as text, in a fixed order; each begins with the name of its store. */
  readonly stored: () => Promise<string[]>
}

/** Where filled platforms come from. */
export interface PlatformSource<T> {
  /** A platform as it was filled, whatever was done to the ones before it, which are not to be used any more. */
  fresh(): Promise<FilledPlatform<T>>
  close(): Promise<void>
}

/** One way to keep what a platform is filled with; `env` is the environment of the endpoints. */
export interface PlatformKind {
  readonly name: string
  readonly open: <T>(
    env: Readonly<Record<string, string>>,
    fill: (api: Api) => Promise<T>,
  ) => Promise<PlatformSource<T>>
}

/** Everything in memory. */
export const inMemory: PlatformKind = {
  name: 'memory',
  async open(env, fill) {
    const first = anApi(env)
    const filled = await fill(first)
    const wanted = first.ports.state
    return {
      async fresh() {
        const api = anApi(env)
        const { state } = api.ports
        fillState(state, wanted)
        fillBucketsAndSearch(api, first)
        return {
          api: api.with({ secretBox: first.ports.secretBox }),
          filled,
          stores: Object.keys(state),
          stored: async () => memoryRecords(state),
        }
      },
      close: async () => {},
    }
  },
}

/** The real adapters over an embedded DynamoDB; what is no store of records stays in memory. */
export const overDynamoDb: PlatformKind = {
  name: 'DynamoDB',
  async open(env, fill) {
    const server = await startDynamoServer()
    const contextOf = ({ clock }: Pick<Api, 'clock'>): AdapterContext => ({
      env: { ...server.env },
      clock,
      random: systemRandomness,
    })
    const first = anApi(env)
    const filled = await fill(first.with(dynamoStores(contextOf(first)))).catch(async (error: unknown) => {
      await server.close()
      throw error
    })
    const wanted = await storedItems(contextOf(first))
    const look = () => storedItems(contextOf(first))
    // The content of the tables, as long as no adapter has been called since they were read.
    let known: readonly StoredItem[] | undefined = wanted
    return {
      async fresh() {
        const api = anApi(env)
        const context = contextOf(api)
        fillBucketsAndSearch(api, first)
        await restore(context, known ?? (await look()), wanted)
        known = wanted
        const ports = watched(dynamoStores(context), () => {
          known = undefined
        })
        return {
          // Sealed values of the records open with the first platform's box alone.
          api: api.with({ ...ports, secretBox: first.ports.secretBox }),
          filled,
          stores: Object.keys(tables),
          stored: async () => (known ??= await look()).map(({ text }) => text).sort(),
        }
      },
      close: () => server.close(),
    }
  },
}

/** The same ports; `asked` is called with every call. */
function watched<T extends object>(ports: T, asked: () => void): T {
  return new Proxy(ports, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member === 'object' && member !== null) return watched(member, asked)
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown => {
        asked()
        return Reflect.apply(member, target, given)
      }
    },
  })
}

/** Makes the tables hold what they held: removes what came, and puts back what went or was changed. */
async function restore(
  context: AdapterContext,
  there: readonly StoredItem[],
  wanted: readonly StoredItem[],
): Promise<void> {
  const [kept, found] = [wanted, there].map((items) => new Set(items.map(({ text }) => text)))
  for (const { table, item, text } of there) {
    if (kept?.has(text) !== true) await deleteItem(context, { TableName: tableName(context, table), Key: keyOf(item) })
  }
  for (const { table, item, text } of wanted) {
    if (found?.has(text) === true) continue
    await putItem(context, { TableName: tableName(context, table), Item: { ...item, ...keyOf(item) } })
  }
}

const keyOf = ({ pk, sk }: Item) => ({ pk: String(pk), sk: String(sk) })

/** Records in memory are never changed in place, so that two platforms can share them. */
function fillState(state: Api['ports']['state'], wanted: Api['ports']['state']): void {
  for (const [name, kept] of Object.entries(wanted)) {
    const place: unknown = Reflect.get(state, name)
    if (place instanceof Map && kept instanceof Map) for (const [key, record] of kept) place.set(key, record)
    else if (Array.isArray(place) && Array.isArray(kept)) place.push(...kept)
    else Object.assign(Object(place), kept)
  }
}

/** The content of the buckets and of the search store, which are in memory whatever keeps the records. */
function fillBucketsAndSearch(api: Api, first: Api): void {
  for (const [key, cdr] of first.ports.state.cdrs) api.ports.state.cdrs.set(key, cdr)
  for (const name of ['recordingFiles', 'exportFiles'] as const) {
    for (const [key, file] of first.ports[name].files) api.ports[name].files.set(key, { ...file })
  }
}

function memoryRecords(state: Api['ports']['state']): string[] {
  return Object.entries(state)
    .flatMap(([store, kept]) => {
      const records: unknown[] = kept instanceof Map ? [...kept] : [kept].flat()
      return records.map((record) => `${store} ${asText(record)}`)
    })
    .sort()
}

/** Any value as JSON; maps as lists of their entries. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? [...member] : member))
}
