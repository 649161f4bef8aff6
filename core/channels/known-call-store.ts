import type { KnownCall } from './known-call.ts'

/** The legs that connectors know to be up: what ends while nobody listens is ended by whoever listens next. */
export interface KnownCallStore {
  /** Notes a leg; one that is noted already is replaced where its engine, its process or its account is another one. */
  put(call: KnownCall): Promise<void>
  read(domain: string, uuid: string): Promise<KnownCall | undefined>
  /** Every noted leg of an engine, in no order; what was noted or removed within the last second may be missing or there. */
  list(engine: string): Promise<KnownCall[]>
  /** Forgets a leg. */
  remove(domain: string, uuid: string): Promise<void>
}
