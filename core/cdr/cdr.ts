/** Leg `b` was created to join another leg, or is the second half of a loopback pair; every other leg is `a`. */
export type Leg = 'a' | 'b'

/** A recording of a call, as its CDR shows it. */
export interface CdrRecording {
  readonly name: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  readonly state: 'expected' | 'stored' | 'failed' | 'deleted'
}

/**
 * The call detail record of one leg: the contract's fields under the contract's names. A field whose source is absent
 * is left out.
 */
export interface Cdr {
  readonly uuid: string
  readonly domain_name: string
  readonly leg: Leg
  /** Epoch milliseconds. */
  readonly created_time: number
  readonly parent_uuid?: string | undefined
  readonly direction?: string | undefined
  readonly presence_id?: string | undefined
  readonly caller_id_name?: string | undefined
  readonly caller_id_number?: string | undefined
  readonly destination_number?: string | undefined
  readonly extension?: string | undefined
  readonly network_addr?: string | undefined
  readonly source?: string | undefined
  readonly gateway?: string | undefined
  /** Whole seconds, like all durations. */
  readonly duration?: number | undefined
  readonly billsec?: number | undefined
  readonly progresssec?: number | undefined
  readonly answersec?: number | undefined
  readonly waitsec?: number | undefined
  readonly holdsec?: number | undefined
  readonly talksec?: number | undefined
  readonly hangup_cause?: string | undefined
  /** The number of the cause in ITU-T Q.850. */
  readonly hangup_cause_q850?: number | undefined
  readonly hangup_disposition?: string | undefined
  readonly originate_disposition?: string | undefined
  readonly transfer_disposition?: string | undefined
  readonly quality_percentage_audio?: number | undefined
  readonly recordings?: readonly CdrRecording[] | undefined
  /** The channel's other variables, without the prefix `variable_`, without the service's own and without secrets. */
  readonly variables: Readonly<Record<string, string>>
}

/** The source of a part of a CDR. For the same field, `post` wins over `event`, and `event` over `made`. */
export type CdrSource = 'made' | 'event' | 'post'

/** The report of one source about a leg; the parts of a leg arrive in any order, and repeatedly. */
export interface CdrPart {
  readonly source: CdrSource
  readonly cdr: Cdr
}
