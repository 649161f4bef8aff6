import type { PlatformEvent } from './platform-event.ts'
import type { ServiceEventKind } from './catalogue.ts'
import { sampleChannelFields, sampleLegs } from './sample-channel-fields.ts'

type Fields = Readonly<Record<string, string>>

const callMs = 12_000

const [leg, otherLeg] = sampleLegs
const coreUuid = '0b9a4b7e-52f7-4d57-9c1e-3f6f0f2a7c11'

function serviceFields(domain: string): Readonly<Record<ServiceEventKind, Fields>> {
  const user = { 'User-ID': '1000', 'User-Domain': domain, variable_account_role: 'user' }
  const call = { 'Unique-ID': leg }
  return {
    domain_create: { 'Domain-Name': domain },
    domain_destroy: { 'Domain-Name': domain },
    user_create: { ...user, 'User-State': 'NONREG' },
    user_destroy: user,
    account_status: {
      'Account-User': '1000',
      'Account-Domain': domain,
      'Account-User-State': 'ISBUSY',
      'Account-Previous-State': 'ONHOOK',
      presence_id: `1000@${domain}`,
    },
    hook_disabled: {
      'Hook-ID': 'c'.repeat(24),
      'Hook-Event': 'CHANNEL_CREATE',
      'Disabled-Reason': 'its receiver answered 410 Gone',
    },
    eavesdrop_start: {
      ...call,
      'Eavesdrop-UUID': otherLeg,
      'Eavesdrop-User': `1002@${domain}`,
      'Eavesdrop-Mode': 'listen',
      'Eavesdrop-Caller': `1002@${domain}`,
    },
    recording_stored: call,
    recording_failed: call,
    voicemail_mail_failed: {
      'User-ID': '1001',
      'User-Domain': domain,
      'Message-File': `msg_${coreUuid}.wav`,
      'Mail-To': `alice@${domain}`,
      Reason: '550 no such user',
    },
    engine_disconnected: { 'Core-UUID': coreUuid },
    engine_connected: { 'Core-UUID': coreUuid },
  }
}

const engineFields: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  [
    'sofia::gateway_state',
    {
      Gateway: 'trunk',
      State: 'REGED',
      'Ping-Status': 'UP',
      'Register-Network-IP': '192.0.2.10',
      'Register-Network-Port': '5060',
    },
  ],
  ['engine::dialer_member_end', { dialerId: '7', id: '42', endCause: 'NORMAL_CLEARING' }],
])

/**
 * Returns a sample event of a name in a domain, for tests of hooks: a channel event has the recorded fields of an
 * engine, a platform event those of the platform, any other event those that all events have. `now` is epoch
 * milliseconds.
 */
export function sampleEvent(name: string, domain: string, { id, now }: { readonly id: string; readonly now: number }) {
  const channel = sampleChannelFields(name, domain, now - callMs)
  const subclass = name.startsWith('CUSTOM->') ? name.slice('CUSTOM->'.length) : undefined
  const fields: Fields = {
    'Event-Name': subclass === undefined ? name : 'CUSTOM',
    ...(subclass === undefined ? {} : { 'Event-Subclass': subclass }),
    'Core-UUID': coreUuid,
    'Event-Date-Timestamp': `${now}000`,
    'Event-Sequence': '4531',
    ...(channel ?? customFields(subclass ?? '', domain)),
    'Event-Domain': domain,
  }
  const event: PlatformEvent = { id, name, domain, uuid: fields['Unique-ID'] ?? '', occurredAt: now, fields }
  return event
}

function customFields(subclass: string, domain: string): Fields {
  const service = new Map<string, Fields>(
    Object.entries(serviceFields(domain)).map(([kind, fields]) => [`svc::${kind}`, fields]),
  )
  return service.get(subclass) ?? engineFields.get(subclass) ?? {}
}
