/** A FreeSWITCH event socket with simulated phones and gateways. */
export {
  type SimulatedEngine,
  type SimulatedEngineOptions,
  startSimulatedEngine,
} from './simulated-engine.ts'
export { type HttpLookupOptions, type XmlLookup, httpLookup } from './lookups/xml-lookup.ts'
export type { PhoneBehaviour } from './phones/phones.ts'
export type { PhoneCall } from './calls/phone-call.ts'
export type { EngineTimers } from './runtime/timers.ts'
