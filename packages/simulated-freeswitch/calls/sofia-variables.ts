import type { Registration } from '../phones/registration.ts'
import type { SeededRandom } from '../runtime/random.ts'
import type { Channel } from './channel.ts'

interface MediaPorts {
  readonly local: number
  readonly remote: number
}

/** Returns the ports that a leg's media would use; nothing listens there. */
export function mediaPorts(random: SeededRandom): MediaPorts {
  return { local: 16_384 + 2 * random.integer(0, 8_191), remote: random.integer(32_768, 60_999) }
}

/**
 * Returns the variables of a leg to a phone when it is made, as CHANNEL_CREATE shows them; `originator` is the calling
 * leg.
 */
export function createdVariables(
  channel: Channel,
  contact: Registration,
  given: { readonly sessionId: number; readonly originator: Channel | undefined; readonly ports: MediaPorts },
): void {
  const address = contactAddress(contact)
  const { originator, ports } = given
  channel.set({
    direction: 'outbound',
    is_outbound: 'true',
    uuid: channel.uuid,
    call_uuid: channel.callUuid,
    session_id: `${given.sessionId}`,
    sip_local_network_addr: '127.0.0.1',
    sip_profile_name: contact.profile,
    video_media_flow: originator === undefined ? 'disabled' : 'inactive',
    text_media_flow: 'disabled',
    channel_name: channel.name,
    sip_destination_url: `sip:${address}`,
  })
  if (originator !== undefined) {
    channel.set({
      max_forwards: '70',
      originator_codec: 'PCMU@8000h@20i',
      originator: originator.uuid,
      originating_leg_uuid: originator.uuid,
      signal_bond: originator.uuid,
      switch_m_sdp: originator.text('switch_r_sdp'),
    })
  }
  channel.set({
    dialed_user: contact.login,
    dialed_domain: contact.domain,
    sip_invite_domain: contact.domain,
    presence_id: `${contact.login}@${contact.domain}`,
    originate_early_media: 'true',
    originate_endpoint: 'sofia',
    rtp_use_codec_string: originator === undefined ? 'PCMU,PCMA' : 'PCMU@8000h@20i',
    local_media_ip: '127.0.0.1',
    local_media_port: `${ports.local}`,
    advertised_media_ip: '127.0.0.1',
    audio_media_flow: 'sendrecv',
    rtp_local_sdp_str: sessionDescription('FreeSWITCH', ports.local, true),
    sip_outgoing_contact_uri: '<sip:mod_sofia@127.0.0.1:5060>',
    sip_req_uri: address,
    sip_to_host: `127.0.0.1:${contact.port}`,
    sip_from_host: contact.domain,
    sofia_profile_name: contact.profile,
    recovery_profile_name: contact.profile,
    sofia_profile_url: 'sip:mod_sofia@127.0.0.1:5060',
  })
}

/**
 * Returns the variables of a leg that a phone placed, as in CHANNEL_CREATE. The user is the authenticated one; the text
 * of the phone's From header is kept in separate variables.
 */
export function placedVariables(
  channel: Channel,
  contact: Registration,
  given: { readonly sessionId: number; readonly from: string; readonly to: string; readonly random: SeededRandom },
): void {
  const { from, to, random } = given
  const [fromUser = '', fromHost = ''] = from.split('@')
  const tag = random.hex(8)
  channel.set({
    direction: 'inbound',
    uuid: channel.uuid,
    call_uuid: channel.callUuid,
    session_id: `${given.sessionId}`,
    sip_from_user: fromUser,
    sip_from_uri: from,
    sip_from_host: fromHost,
    video_media_flow: 'disabled',
    text_media_flow: 'disabled',
    channel_name: channel.name,
    sip_call_id: random.uuid(),
    sip_network_ip: '127.0.0.1',
    sip_network_port: `${contact.port}`,
    sip_authorized: 'true',
    sip_auth_username: contact.login,
    sip_auth_realm: contact.domain,
    requested_user_name: contact.login,
    requested_domain_name: contact.domain,
    ...Object.fromEntries(contact.user.variables),
    user_name: contact.login,
    domain_name: contact.domain,
    sip_from_user_stripped: fromUser,
    sip_from_tag: tag,
    sofia_profile_name: 'internal',
    sofia_profile_url: 'sip:mod_sofia@127.0.0.1:5060',
    recovery_profile_name: 'internal',
    sip_full_from: `<sip:${from}>;tag=${tag}`,
    sip_full_to: `<sip:${to}@${contact.domain}>`,
    sip_req_user: to,
    sip_req_uri: `${to}@${contact.domain}`,
    sip_req_host: contact.domain,
    sip_to_user: to,
    sip_to_uri: `${to}@${contact.domain}`,
    sip_to_host: contact.domain,
    sip_contact_user: contact.login,
    sip_contact_port: `${contact.port}`,
    sip_contact_uri: contactAddress(contact),
    sip_contact_host: '127.0.0.1',
    sip_user_agent: contact.userAgent,
    max_forwards: '70',
    presence_id: channel.presenceId ?? '',
    ep_codec_string: 'CORE_PCM_MODULE.PCMU@8000h@20i@64000b',
    read_codec: 'PCMU',
    read_rate: '8000',
    write_codec: 'PCMU',
    write_rate: '8000',
    endpoint_disposition: 'RECEIVED',
  })
}

/** Returns the engine's request to a phone to answer automatically. */
export function autoAnswerVariables(channel: Channel): void {
  if (channel.text('sip_h_Call-Info') === '') channel.set({ 'sip_h_Call-Info': '<sip:127.0.0.1>;answer-after=0' })
  channel.set({ sip_invite_params: 'intercom=true', sip_req_uri: `${channel.text('sip_req_uri')};intercom=true` })
}

/** Returns the answer of a ringing phone. */
export function ringingVariables(channel: Channel, contact: Registration, random: SeededRandom): void {
  const { callerIdName = '', callerIdNumber } = channel.profile
  const via = `SIP/2.0/UDP 127.0.0.1;rport;branch=z9hG4bK${random.hex(13)}`
  const fromTag = random.hex(13)
  const toTag = random.hex(8)
  const from = `${callerIdNumber}@${contact.domain}`
  const address = contactAddress(contact)
  channel.set({
    sip_reply_host: '127.0.0.1',
    sip_reply_port: `${contact.port}`,
    sip_network_ip: '127.0.0.1',
    sip_network_port: `${contact.port}`,
    sip_user_agent: contact.userAgent,
    sip_allow: 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, REFER, NOTIFY',
    sip_recover_contact: `<sip:${address}>`,
    sip_full_via: via,
    sip_recover_via: via,
    sip_from_display: callerIdName,
    sip_full_from: `${callerIdName === '' ? '' : `"${callerIdName}" `}<sip:${from}>;tag=${fromTag}`,
    sip_full_to: `<sip:${address}>;tag=${toTag}`,
    sip_from_user: callerIdNumber,
    sip_from_uri: from,
    sip_from_host: contact.domain,
    sip_to_user: contact.login,
    sip_to_port: `${contact.port}`,
    sip_to_uri: address,
    sip_to_host: '127.0.0.1',
    sip_contact_user: contact.login,
    sip_contact_port: `${contact.port}`,
    sip_contact_uri: address,
    sip_contact_host: '127.0.0.1',
    sip_to_tag: toTag,
    sip_from_tag: fromTag,
    sip_cseq: `${random.integer(100_000_000, 199_999_999)}`,
    sip_call_id: random.uuid(),
  })
}

/** Returns the parameters that an answering phone agreed to. */
export function answeredVariables(
  channel: Channel,
  contact: Registration,
  given: { readonly random: SeededRandom; readonly ports: MediaPorts },
): void {
  channel.set({
    switch_r_sdp: sessionDescription(contact.login, given.ports.remote, false),
    ep_codec_string: 'CORE_PCM_MODULE.PCMU@8000h@20i@64000b',
    remote_video_media_flow: 'inactive',
    remote_text_media_flow: 'inactive',
    remote_audio_media_flow: 'sendrecv',
    rtp_audio_recv_pt: '0',
    rtp_use_codec_name: 'PCMU',
    rtp_use_codec_rate: '8000',
    rtp_use_codec_ptime: '20',
    rtp_use_codec_channels: '1',
    rtp_last_audio_codec_string: 'PCMU@8000h@20i@1c',
    read_codec: 'PCMU',
    original_read_codec: 'PCMU',
    read_rate: '8000',
    original_read_rate: '8000',
    write_codec: 'PCMU',
    write_rate: '8000',
    dtmf_type: 'rfc2833',
    rtp_use_timer_name: 'soft',
    rtp_use_pt: '0',
    rtp_use_ssrc: `${given.random.integer(1, 0xffffffff)}`,
    rtp_2833_send_payload: '101',
    rtp_2833_recv_payload: '101',
    remote_media_ip: '127.0.0.1',
    remote_media_port: `${given.ports.remote}`,
  })
}

/** Returns the answer of a phone that refused. */
export function refusedVariables(
  channel: Channel,
  contact: Registration,
  refusal: { readonly status: string; readonly phrase: string; readonly q850: string },
  random: SeededRandom,
): void {
  channel.set({
    sip_call_id: random.uuid(),
    sip_reply_host: '127.0.0.1',
    sip_reply_port: `${contact.port}`,
    sip_network_ip: '127.0.0.1',
    sip_network_port: `${contact.port}`,
    sip_hangup_disposition: 'recv_refuse',
    sip_invite_failure_status: refusal.status,
    sip_invite_failure_phrase: refusal.phrase,
    sip_term_status: refusal.status,
    proto_specific_hangup_cause: `sip:${refusal.status}`,
    sip_term_cause: refusal.q850,
  })
}

function contactAddress(contact: Registration): string {
  return `${contact.login}@127.0.0.1:${contact.port}`
}

function sessionDescription(owner: string, port: number, own: boolean): string {
  const lines = [
    'v=0',
    `o=${owner} ${port} ${port + 1} IN IP4 127.0.0.1`,
    own ? 's=FreeSWITCH' : 's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${own ? '0 8 101 13' : '0 101'}`,
    'a=rtpmap:0 PCMU/8000',
    ...(own ? ['a=rtpmap:8 PCMA/8000'] : []),
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    ...(own ? ['a=rtpmap:13 CN/8000'] : []),
    'a=ptime:20',
    ...(own ? ['a=sendrecv'] : []),
  ]
  return `${lines.join('\r\n')}\r\n`
}
