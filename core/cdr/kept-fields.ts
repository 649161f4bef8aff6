import { cut, shownVariables } from './cdr-variables.ts'
import { type EndFields, knownAccountField, reported } from './end-fields.ts'

const sources = [
  'Event-Name',
  'Unique-ID',
  'Core-UUID',
  'Synthetic',
  'Channel-Name',
  'Channel-Presence-ID',
  knownAccountField,
  'Call-Direction',
  'Other-Type',
  'Other-Leg-Unique-ID',
  'Caller-Caller-ID-Name',
  'Caller-Caller-ID-Number',
  'Caller-Destination-Number',
  'Caller-Network-Addr',
  'Caller-Source',
  'Caller-Context',
  'Caller-Channel-Created-Time',
  'Hangup-Cause',
  'variable_domain_name',
  'variable_w_domain',
  'variable_user_context',
  'variable_presence_id',
  'variable_uuid',
  'variable_user_name',
  'variable_dialed_user',
  'variable_dialed_domain',
  'variable_origination_uuid',
  'variable_current_application',
  'variable_last_app',
  'variable_originating_leg_uuid',
  'variable_other_loopback_leg_uuid',
  'variable_loopback_leg',
  'variable_start_uepoch',
  'variable_sip_network_ip',
  'variable_sip_gateway_name',
  'variable_sip_hangup_disposition',
  'variable_originate_disposition',
  'variable_transfer_disposition',
  'variable_hangup_cause',
  'variable_hangup_cause_q850',
  'variable_duration',
  'variable_billsec',
  'variable_progresssec',
  'variable_answersec',
  'variable_waitsec',
  'variable_hold_accum_seconds',
  'variable_rtp_audio_in_quality_percentage',
] as const

/** Longer values are cut: no field of a CDR has more. */
const maxValue = 1024

/**
 * Returns exactly those reported fields from which the CDR is made: no credential and no key of its media leaves with
 * them. Fields in `known` replace the reported ones, and remove them where `undefined`; other variables of the channel
 * are always the reported ones. At most about 150 000 characters, whatever the engine reported; the resulting CDR is
 * the same.
 */
export function keptFields(fields: EndFields, known: Readonly<Record<string, string | undefined>> = {}): EndFields {
  const kept: Record<string, string> = {}
  for (const { field, value } of shownVariables(fields)) kept[field] = value
  for (const name of sources) {
    const value = Object.hasOwn(known, name) ? known[name] : reported(fields, name)
    if (value !== undefined && value !== '') kept[name] = cut(value, maxValue)
  }
  return kept
}
