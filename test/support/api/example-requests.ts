import { type ApiRequest, passwordOf } from '../platform/api.ts'
import { people, usualThings } from '../platform/tenant.ts'

/** Requests that show more of an operation than the ones that tests send. */
export const exampleRequests: Readonly<Record<string, ApiRequest>> = {
  logIn: { body: { username: `${people.user}@example.com`, password: passwordOf(people.user) } },
  readRecording: { params: { uuid: usualThings.channel }, headers: { accept: 'application/json' } },
  createDomain: {
    body: {
      domain_name: 'new.example.com',
      customer_id: 'customer-7',
      variables: ['timezone=Europe/Berlin'],
      parameters: [],
    },
  },
  createAccount: {
    body: {
      login: '3000',
      password: 'a long password',
      role: 'user',
      parameters: ['vm-enabled=true'],
      variables: ['effective_caller_id_name=Front desk', 'default_language=en'],
    },
  },
  originateCall: { body: { callerId: '1001', calledId: '9196' } },
  createHooks: {
    body: {
      event: 'CHANNEL_HANGUP_COMPLETE',
      enable: true,
      description: 'Ends of answered calls',
      action: { type: 'web', method: 'POST', url: 'https://receiver.example.net/calls' },
      headers: { 'X-Source': 'callplane' },
    },
  },
  createDefaultRoute: {
    body: {
      name: 'Sales',
      destination_number: '^(5\\d{3})$',
      callflow: [{ answer: '' }, { playback: { name: 'welcome.wav' } }],
    },
  },
  simulateDefaultRoutes: { body: { number: '9196', caller: '1001' } },
  createEmailSettings: {
    body: {
      provider: 'smtp',
      description: 'Mail of the front desk',
      from: 'pbx@mail.example.net',
      options: {
        host: 'smtp.example.net',
        port: 587,
        secure: false,
        auth: { user: 'pbx@mail.example.net', pass: 'a long password' },
      },
    },
  },
  searchCdrs: {
    body: {
      query: '*',
      columns: ['uuid', 'created_time', 'caller_id_number', 'destination_number', 'duration', 'hangup_cause'],
      filter: [{ range: { created_time: { gte: 'now-7d' } } }],
      limit: 10,
      sort: { created_time: { order: 'desc' } },
    },
  },
  addBlacklistNumber: {
    params: { blacklist_name: 'unwanted' },
    body: { number: '+44 20 7183 8751', note: 'rang ten times' },
  },
  replaceDefaultRoute: {
    params: { route_id: usualThings.routes[0] },
    body: { name: 'Sales', destination_number: '^(5\\d{3})$', callflow: [{ answer: '' }, { goto: '1000' }] },
  },
  createRole: { body: { roles: 'auditor', allows: { cdr: ['r'], hook: ['r'] }, parents: 'user' } },
}
