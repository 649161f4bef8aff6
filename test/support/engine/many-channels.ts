import { randomUUID } from 'node:crypto'

/**
 * Rows of `show channels as json`, with every column that an engine gives: of the domains `a.example.com` and
 * `b.example.com` and of none, in no order. Names hold what must survive: quotes, other scripts, braces.
 */
export function manyChannels(count: number): Readonly<Record<string, string>>[] {
  const owners = ['a.example.com', 'b.example.com', 'public']
  return Array.from({ length: count }, (_, index) => {
    const uuid = randomUUID()
    const domain = owners[index % 3] ?? ''
    const login = `${1000 + (index % 900)}`
    const number = `+1555${String(index).padStart(7, '0')}`
    return {
      uuid,
      direction: index % 2 === 0 ? 'inbound' : 'outbound',
      created: '2026-11-20 23:30:45',
      created_epoch: `${1_795_217_445 + ((index * 7919) % count)}`,
      name: `sofia/internal/${login}@${domain}`,
      state: 'CS_EXECUTE',
      cid_name: `Zoë "Z" {Müller} ${index}`,
      cid_num: number,
      ip_addr: '192.0.2.17',
      dest: number,
      application: 'playback',
      application_data: '/usr/share/freeswitch/sounds/en/us/callie/ivr/8000/ivr-please_hold.wav',
      dialplan: 'XML',
      context: domain,
      read_codec: 'opus',
      read_rate: '48000',
      read_bit_rate: '0',
      write_codec: 'opus',
      write_rate: '48000',
      write_bit_rate: '0',
      secure: 'srtp:dtls:AES_CM_128_HMAC_SHA1_80',
      hostname: 'fs1.example.com',
      presence_id: domain === 'public' ? '' : `${login}@${domain}`,
      presence_data: '',
      accountcode: login,
      callstate: 'ACTIVE',
      callee_name: 'Outbound Call',
      callee_num: login,
      callee_direction: 'SEND',
      call_uuid: uuid,
      sent_callee_name: 'Outbound Call',
      sent_callee_num: login,
      initial_cid_name: `Zoë "Z" {Müller} ${index}`,
      initial_cid_num: number,
      initial_ip_addr: '192.0.2.17',
      initial_dest: number,
      initial_dialplan: 'XML',
      initial_context: domain,
    }
  })
}
