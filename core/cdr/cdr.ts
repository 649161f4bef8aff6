/** Leg `b` was created to be joined to another leg, or is the second half of a loopback pair; every other leg is `a`. */
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
  /** Whole seconds, as all durations. */
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
  /** The channel's other variables, without the prefix `variable_`; those of the service and secrets are not in it. */
  readonly variables: Readonly<Record<string, string>>
}

/** Where a part of a CDR comes from. Of what two parts tell, `post` wins over `event`, and `event` over `made`. */
export type CdrSource = 'made' | 'event' | 'post'

/** What one source tells of a leg; the parts of a leg come in any order, and more than once. */
export interface CdrPart {
  readonly source: CdrSource
  readonly cdr: Cdr
}
