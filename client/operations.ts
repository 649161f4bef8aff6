/** Written by `npm run openapi` from the route records in contracts/routes. Do not edit it. */

/** The codes with which the API refuses. */
export type ErrorCode = 'invalid_json' | 'invalid_field' | 'missing_field' | 'domain_required' | 'bad_request' | 'engine_refused' | 'query_refused' | 'invalid_credentials' | 'invalid_token' | 'token_expired' | 'permission_denied' | 'not_found' | 'method_not_allowed' | 'conflict' | 'idempotency_conflict' | 'in_progress' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'range_not_satisfiable' | 'rate_limited' | 'locked_out' | 'internal_error' | 'engine_unavailable' | 'search_unavailable' | 'store_unavailable' | 'engine_timeout' | 'outcome_unknown' | 'search_timeout' | 'deadline_exceeded'

type TestHookBodyPart1 = string | number | boolean | null | readonly (TestHookBodyPart1)[] | { readonly [name: string]: TestHookBodyPart1 }

/** The operations: method, path, and whether a call takes an `Idempotency-Key`. */
export const operations = {
  addBlacklistNumber: { method: 'POST', path: '/api/v2/routes/blacklists/{blacklist_name}', takesKey: true },
  beginExport: { method: 'POST', path: '/api/v2/cdr/export', takesKey: true },
  beginTotp: { method: 'POST', path: '/api/v2/whoami/totp', takesKey: true },
  confirmTotp: { method: 'POST', path: '/api/v2/whoami/totp/confirm', takesKey: true },
  createAccount: { method: 'POST', path: '/api/v2/accounts', takesKey: true },
  createDefaultRoute: { method: 'POST', path: '/api/v2/routes/default', takesKey: true },
  createDomain: { method: 'POST', path: '/api/v2/domains', takesKey: true },
  createDomainToken: { method: 'POST', path: '/api/v2/domains/{domain_name}/settings/token', takesKey: true },
  createEmailSettings: { method: 'POST', path: '/api/v2/email/settings', takesKey: true },
  createHooks: { method: 'POST', path: '/api/v2/hooks', takesKey: true },
  createRole: { method: 'POST', path: '/api/v2/acl/roles', takesKey: true },
  deleteAccount: { method: 'DELETE', path: '/api/v2/accounts/{account_id}', takesKey: false },
  deleteBlacklist: { method: 'DELETE', path: '/api/v2/routes/blacklists/{blacklist_name}', takesKey: false },
  deleteDefaultRoute: { method: 'DELETE', path: '/api/v2/routes/default/{route_id}', takesKey: false },
  deleteDomain: { method: 'DELETE', path: '/api/v2/domains/{domain_name}', takesKey: false },
  deleteDomainToken: { method: 'DELETE', path: '/api/v2/domains/{domain_name}/settings/token/{uuid}', takesKey: false },
  deleteEmailSettings: { method: 'DELETE', path: '/api/v2/email/settings', takesKey: false },
  deleteHook: { method: 'DELETE', path: '/api/v2/hooks/{hook_id}', takesKey: false },
  deleteRecordings: { method: 'DELETE', path: '/cdr/api/v2/files/{uuid}', takesKey: false },
  deleteRole: { method: 'DELETE', path: '/api/v2/acl/roles/{name}', takesKey: false },
  dryRunHook: { method: 'POST', path: '/api/v2/hooks/dry-run', takesKey: false },
  eavesdropChannel: { method: 'POST', path: '/api/v2/channels/{channel_id}/eavesdrop', takesKey: true },
  endAccountTotp: { method: 'DELETE', path: '/api/v2/accounts/{account_id}/totp', takesKey: false },
  endTotp: { method: 'DELETE', path: '/api/v2/whoami/totp', takesKey: false },
  hangUpChannel: { method: 'DELETE', path: '/api/v2/channels/{channel_id}', takesKey: false },
  holdChannel: { method: 'PUT', path: '/api/v2/channels/{channel_id}', takesKey: false },
  holdRecordings: { method: 'PUT', path: '/cdr/api/v2/files/{uuid}/hold', takesKey: false },
  keepDomainVersion: { method: 'PUT', path: '/api/v2/domains/{domain_name}/versions/{version}', takesKey: false },
  listAccounts: { method: 'GET', path: '/api/v2/accounts', takesKey: false },
  listAudit: { method: 'GET', path: '/api/v2/audit', takesKey: false },
  listBlacklists: { method: 'GET', path: '/api/v2/routes/blacklists', takesKey: false },
  listChannels: { method: 'GET', path: '/api/v2/channels', takesKey: false },
  listDefaultRoutes: { method: 'GET', path: '/api/v2/routes/default', takesKey: false },
  listDeliveries: { method: 'GET', path: '/api/v2/hooks/{hook_id}/deliveries', takesKey: false },
  listDomainTokens: { method: 'GET', path: '/api/v2/domains/{domain_name}/settings/token', takesKey: false },
  listDomainVersions: { method: 'GET', path: '/api/v2/domains/{domain_name}/versions', takesKey: false },
  listDomains: { method: 'GET', path: '/api/v2/domains', takesKey: false },
  listEventTypes: { method: 'GET', path: '/api/v2/events/types', takesKey: false },
  listEvents: { method: 'GET', path: '/api/v2/events', takesKey: false },
  listHooks: { method: 'GET', path: '/api/v2/hooks', takesKey: false },
  listOtherLegs: { method: 'GET', path: '/api/v2/cdr/{uuid}/b', takesKey: false },
  listRoles: { method: 'GET', path: '/api/v2/acl/roles', takesKey: false },
  logIn: { method: 'POST', path: '/login', takesKey: false },
  logOut: { method: 'POST', path: '/logout', takesKey: true },
  moveDefaultRouteDown: { method: 'PUT', path: '/api/v2/routes/default/{route_id}/down', takesKey: false },
  moveDefaultRouteUp: { method: 'PUT', path: '/api/v2/routes/default/{route_id}/up', takesKey: false },
  originateCall: { method: 'POST', path: '/api/v2/channels', takesKey: true },
  readAccount: { method: 'GET', path: '/api/v2/accounts/{account_id}', takesKey: false },
  readApiDescription: { method: 'GET', path: '/openapi.json', takesKey: false },
  readBlacklist: { method: 'GET', path: '/api/v2/routes/blacklists/{blacklist_name}', takesKey: false },
  readBlacklistNumber: { method: 'GET', path: '/api/v2/routes/blacklists/{blacklist_name}/{blacklist_number}', takesKey: false },
  readCdr: { method: 'GET', path: '/api/v2/cdr/{uuid}', takesKey: false },
  readDefaultRoute: { method: 'GET', path: '/api/v2/routes/default/{route_id}', takesKey: false },
  readDomain: { method: 'GET', path: '/api/v2/domains/{domain_name}', takesKey: false },
  readDomainVersion: { method: 'GET', path: '/api/v2/domains/{domain_name}/versions/{version}', takesKey: false },
  readEmailSettings: { method: 'GET', path: '/api/v2/email/settings', takesKey: false },
  readEventDescription: { method: 'GET', path: '/asyncapi.json', takesKey: false },
  readExport: { method: 'GET', path: '/api/v2/cdr/export/{job_id}', takesKey: false },
  readHealth: { method: 'GET', path: '/health', takesKey: false },
  readHook: { method: 'GET', path: '/api/v2/hooks/{hook_id}', takesKey: false },
  readRecording: { method: 'GET', path: '/cdr/api/v2/files/{uuid}', takesKey: false },
  readRole: { method: 'GET', path: '/api/v2/acl/roles/{name}', takesKey: false },
  readStatus: { method: 'GET', path: '/api/v2/status', takesKey: false },
  removeBlacklistNumber: { method: 'DELETE', path: '/api/v2/routes/blacklists/{blacklist_name}/{blacklist_number}', takesKey: false },
  replaceDefaultRoute: { method: 'PUT', path: '/api/v2/routes/default/{route_id}', takesKey: false },
  replaceEmailSettings: { method: 'PUT', path: '/api/v2/email/settings', takesKey: false },
  replaceHook: { method: 'PUT', path: '/api/v2/hooks/{hook_id}', takesKey: false },
  replayDeliveries: { method: 'POST', path: '/api/v2/hooks/{hook_id}/replay', takesKey: true },
  resendDelivery: { method: 'POST', path: '/api/v2/hooks/{hook_id}/deliveries/{delivery_id}/resend', takesKey: true },
  rotateHookSecret: { method: 'POST', path: '/api/v2/hooks/{hook_id}/secret', takesKey: true },
  scrollCdrs: { method: 'POST', path: '/api/v2/cdr/text/scroll', takesKey: false },
  searchCdrs: { method: 'POST', path: '/api/v2/cdr/text', takesKey: false },
  sendTestMail: { method: 'POST', path: '/api/v2/email/settings/test', takesKey: true },
  simulateDefaultRoutes: { method: 'POST', path: '/api/v2/routes/default/simulate', takesKey: false },
  testHook: { method: 'POST', path: '/api/v2/hooks/{hook_id}/test', takesKey: true },
  updateAccount: { method: 'PUT', path: '/api/v2/accounts/{account_id}', takesKey: false },
  updateDomainParameters: { method: 'PUT', path: '/api/v2/domains/{domain_name}/params', takesKey: false },
  updateDomainToken: { method: 'PATCH', path: '/api/v2/domains/{domain_name}/settings/token/{uuid}', takesKey: false },
  updateDomainVariables: { method: 'PUT', path: '/api/v2/domains/{domain_name}/var', takesKey: false },
  updateHook: { method: 'PATCH', path: '/api/v2/hooks/{hook_id}', takesKey: false },
  updateRole: { method: 'PUT', path: '/api/v2/acl/roles/{name}', takesKey: false },
  whoAmI: { method: 'GET', path: '/api/v2/whoami', takesKey: false },
} as const

/** The input and the answer of each operation. */
export interface Operations {
  /** Add a number to a blacklist. */
  addBlacklistNumber: { params: { blacklist_name: string }; query?: { domain?: string }; body: { readonly number: string; readonly expires?: number; readonly note?: string }; answer: { readonly ok: 1; readonly Modified: number; readonly n: number } }
  /** Export call detail records to a file. */
  beginExport: { query?: { domain?: string; leg?: 'a' | 'b' | '*' }; body?: { readonly domain?: string; readonly format?: 'csv' | 'jsonl'; readonly [name: string]: unknown }; answer: { readonly status: 'OK'; readonly data: { readonly jobId: string } } }
  /** Begin a second factor. */
  beginTotp: { answer: { readonly status: 'OK'; readonly info: { readonly secret: string; readonly uri: string } } }
  /** Switch the second factor on. */
  confirmTotp: { body: { readonly code: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Create an account. */
  createAccount: { query?: { domain?: string }; body: { readonly login: string; readonly password: string; readonly role: string; readonly domain?: string; readonly parameters?: readonly (string)[]; readonly variables?: readonly (string)[] }; answer: { readonly status: 'OK'; readonly data: { readonly [name: string]: string } } }
  /** Create a default route. */
  createDefaultRoute: { query?: { domain?: string }; body: { readonly destination_number: string; readonly name?: string; readonly order?: number; readonly disabled?: boolean; readonly fs_timezone?: string | null; readonly description?: string; readonly callflow?: readonly (unknown)[] }; answer: { readonly _id: string } }
  /** Create a domain. */
  createDomain: { body: { readonly domain_name: string; readonly customer_id: string; readonly variables?: readonly (string)[]; readonly parameters?: readonly (string)[] }; answer: { readonly status: 'OK'; readonly info: string; readonly 'more info': string } }
  /** Issue a static token of a domain. */
  createDomainToken: { params: { domain_name: string }; body: { readonly expire: number; readonly role: string; readonly description?: string; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: { readonly data: { readonly uuid: string; readonly expire: number; readonly roleName: string; readonly description: string; readonly createdBy: string; readonly createdOn: number; readonly enabled: boolean }; readonly token: string } } }
  /** Create or replace the mail settings of a domain. */
  createEmailSettings: { query?: { domain?: string }; body: { readonly provider: 'smtp'; readonly description?: string; readonly from?: string; readonly options: { readonly host: string; readonly port?: number; readonly secure?: boolean; readonly debug?: boolean; readonly tls?: { readonly rejectUnauthorized?: boolean; readonly allowPlaintextLogin?: boolean }; readonly auth?: { readonly user?: string; readonly pass?: string } }; readonly domain?: string }; answer: { readonly _id: string; readonly provider: 'smtp'; readonly description: string; readonly from: string; readonly options: { readonly host: string; readonly port: number; readonly secure: boolean; readonly debug: boolean; readonly tls: { readonly rejectUnauthorized: boolean; readonly allowPlaintextLogin?: boolean }; readonly auth?: { readonly user?: string; readonly pass?: '********' } }; readonly domain: string } }
  /** Create hooks. */
  createHooks: { query?: { domain?: string }; body: { readonly event: string; readonly enable?: boolean; readonly description?: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields?: readonly (string)[]; readonly map?: { readonly [name: string]: string }; readonly filter?: { readonly [name: string]: { readonly operation: '==' | '!=' | '<' | '>' | '<=' | '>=' | 'reg'; readonly value: string | number | boolean | null } }; readonly headers?: { readonly [name: string]: string }; readonly auth?: { readonly enabled?: boolean; readonly url?: string; readonly method?: string; readonly headers?: { readonly [name: string]: string }; readonly map?: { readonly [name: string]: string }; readonly cookie?: boolean }; readonly customBody?: boolean; readonly rawBody?: string; readonly retries?: number; readonly delay?: number } | readonly ({ readonly event: string; readonly enable?: boolean; readonly description?: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields?: readonly (string)[]; readonly map?: { readonly [name: string]: string }; readonly filter?: { readonly [name: string]: { readonly operation: '==' | '!=' | '<' | '>' | '<=' | '>=' | 'reg'; readonly value: string | number | boolean | null } }; readonly headers?: { readonly [name: string]: string }; readonly auth?: { readonly enabled?: boolean; readonly url?: string; readonly method?: string; readonly headers?: { readonly [name: string]: string }; readonly map?: { readonly [name: string]: string }; readonly cookie?: boolean }; readonly customBody?: boolean; readonly rawBody?: string; readonly retries?: number; readonly delay?: number })[]; answer: { readonly status: 'OK'; readonly data: { readonly result: { readonly ok: 1; readonly n: number }; readonly ops: readonly ({ readonly _id: string; readonly domain: string; readonly event: string; readonly enable: boolean; readonly description: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields: readonly (string)[]; readonly map: { readonly [name: string]: string }; readonly filter: { readonly [name: string]: { readonly operation: string; readonly value: string | number | boolean | null } }; readonly headers: { readonly [name: string]: string }; readonly auth: { readonly enabled: boolean; readonly url: string; readonly method: string; readonly headers: { readonly [name: string]: string }; readonly map: { readonly [name: string]: string }; readonly cookie: boolean }; readonly customBody: boolean; readonly rawBody: string; readonly retries: number; readonly delay?: number; readonly disabledReason?: string })[]; readonly insertedCount: number; readonly insertedIds: readonly (string)[]; readonly secrets: { readonly [name: string]: string } } } }
  /** Create a role. */
  createRole: { query?: { domain?: string }; body: { readonly roles: string | readonly [string]; readonly allows?: { readonly [name: string]: readonly (string)[] }; readonly parents?: string | readonly (string)[] | null; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Delete an account. */
  deleteAccount: { params: { account_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly info: '+OK destroyed!\n' } }
  /** Delete a blacklist. */
  deleteBlacklist: { params: { blacklist_name: string }; query?: { domain?: string }; answer: { readonly ok: 1; readonly n: number } }
  /** Delete a default route. */
  deleteDefaultRoute: { params: { route_id: string }; query?: { domain?: string }; answer: { readonly ok: 1; readonly n: 1 } }
  /** Delete a domain. */
  deleteDomain: { params: { domain_name: string }; answer: { readonly status: 'OK'; readonly info: string; readonly 'more info': string } }
  /** Delete a static token of a domain. */
  deleteDomainToken: { params: { domain_name: string; uuid: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Delete the mail settings of a domain. */
  deleteEmailSettings: { query?: { domain?: string }; answer: { readonly status: 'OK'; readonly Info: string } }
  /** Delete a hook. */
  deleteHook: { params: { hook_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly ok: 1; readonly n: 1 } } }
  /** Delete recordings of a call. */
  deleteRecordings: { params: { uuid: string }; query?: { domain?: string; name?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Delete a role that no account has. */
  deleteRole: { params: { name: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Show what a hook would make of the last events of a domain; nothing is sent or stored. */
  dryRunHook: { query?: { domain?: string; limit?: number }; body: { readonly event: string; readonly enable?: boolean; readonly description?: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields?: readonly (string)[]; readonly map?: { readonly [name: string]: string }; readonly filter?: { readonly [name: string]: { readonly operation: '==' | '!=' | '<' | '>' | '<=' | '>=' | 'reg'; readonly value: string | number | boolean | null } }; readonly headers?: { readonly [name: string]: string }; readonly auth?: { readonly enabled?: boolean; readonly url?: string; readonly method?: string; readonly headers?: { readonly [name: string]: string }; readonly map?: { readonly [name: string]: string }; readonly cookie?: boolean }; readonly customBody?: boolean; readonly rawBody?: string; readonly retries?: number; readonly delay?: number }; answer: { readonly status: 'OK'; readonly data: { readonly looked: number; readonly otherEvents: readonly ({ readonly event: string; readonly count: number })[]; readonly matched: number; readonly refused: number; readonly events: readonly ({ readonly sequence: number; readonly uuid: string; readonly occurredAt: number; readonly matches: boolean; readonly refusedBy: readonly ({ readonly field: string; readonly operation: string; readonly value: string | number | boolean | null; readonly found: string | null })[]; readonly authRequest?: { readonly method: string; readonly url: string; readonly headers: { readonly [name: string]: string }; readonly body: string }; readonly request?: { readonly method: string; readonly url: string; readonly headers: { readonly [name: string]: string }; readonly body: string }; readonly problem?: 'auth_failed' | 'bad_template' })[]; readonly isCut: boolean; readonly exampleSecret: string } } }
  /** Listen to a channel. */
  eavesdropChannel: { params: { channel_id: string }; query?: { domain?: string; side?: string }; body?: { readonly user?: string; readonly domain?: string; readonly display?: string; readonly mode?: 'listen' | 'whisper_a' | 'whisper_b' | 'barge'; readonly dtmf?: boolean; readonly variables?: { readonly [name: string]: string } }; answer: { readonly status: 'OK'; readonly info: string; readonly pending?: true } }
  /** Switch an account's second factor off. */
  endAccountTotp: { params: { account_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Switch the second factor off. */
  endTotp: { body: { readonly code: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Hang a channel up. */
  hangUpChannel: { params: { channel_id: string }; query?: { domain?: string; cause?: string }; answer: { readonly status: 'OK'; readonly info: string; readonly pending?: true } }
  /** Hold or unhold a channel. */
  holdChannel: { params: { channel_id: string }; query?: { domain?: string }; body: { readonly state: 'hold' | 'unhold'; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: string; readonly pending?: true } }
  /** Set or end the legal hold on recordings of a call. */
  holdRecordings: { params: { uuid: string }; query?: { domain?: string; name?: string }; body: { readonly hold: boolean; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Keep a version of a domain. */
  keepDomainVersion: { params: { domain_name: string; version: string }; body: { readonly document: string; readonly comment?: string }; answer: { readonly status: 'OK'; readonly info: { readonly version: number; readonly comment: string; readonly createdBy: string; readonly createdOn: number; readonly bytes: number } } }
  /** List the accounts of a domain. */
  listAccounts: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: { readonly status: 'OK'; readonly data: { readonly [name: string]: { readonly id?: string; readonly domain?: string; readonly scheme?: 'account'; readonly online?: boolean; readonly state?: 'nonreg' | 'onhook' | 'isbusy' } } } }
  /** List the audit trail of a domain. */
  listAudit: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: { readonly status: 'OK'; readonly data: readonly ({ readonly at?: number; readonly requestId?: string; readonly caller?: string; readonly domain?: string; readonly sourceAddress?: string; readonly method?: string; readonly path?: string; readonly status?: number; readonly fields?: readonly (string)[]; readonly note?: string })[] } }
  /** List the blacklists of a domain. */
  listBlacklists: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: readonly ({ readonly name?: string })[] }
  /** List live channels. */
  listChannels: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string; userId?: string; callstate?: string; direction?: 'inbound' | 'outbound' }; answer: { readonly status: 'OK'; readonly data: { readonly row_count: number; readonly rows: readonly ({ readonly uuid?: string; readonly direction?: string; readonly created?: string; readonly created_epoch?: string; readonly name?: string; readonly state?: string; readonly cid_name?: string; readonly cid_num?: string; readonly ip_addr?: string; readonly dest?: string; readonly application?: string; readonly application_data?: string; readonly dialplan?: string; readonly context?: string; readonly read_codec?: string; readonly read_rate?: string; readonly read_bit_rate?: string; readonly write_codec?: string; readonly write_rate?: string; readonly write_bit_rate?: string; readonly secure?: string; readonly hostname?: string; readonly presence_id?: string; readonly presence_data?: string; readonly callstate?: string; readonly callee_name?: string; readonly callee_num?: string; readonly callee_direction?: string; readonly call_uuid?: string; readonly sent_callee_name?: string; readonly sent_callee_num?: string; readonly initial_cid_name?: string; readonly initial_cid_num?: string; readonly initial_ip_addr?: string; readonly initial_dest?: string; readonly initial_dialplan?: string; readonly initial_context?: string })[] } } }
  /** List the default routes of a domain. */
  listDefaultRoutes: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: readonly ({ readonly _id?: string; readonly destination_number?: string; readonly name?: string; readonly order?: number; readonly disabled?: boolean; readonly domain?: string; readonly fs_timezone?: string | null; readonly description?: string; readonly callflow?: readonly ({ readonly [name: string]: unknown })[]; readonly ignored?: readonly (string)[]; readonly version?: number })[] }
  /** List the deliveries of a hook and their attempts. */
  listDeliveries: { params: { hook_id: string }; query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string; state?: 'pending' | 'delivered' | 'failed' | 'skipped' }; answer: { readonly status: 'OK'; readonly data: readonly ({ readonly id?: string; readonly hook?: string; readonly event?: string; readonly uuid?: string; readonly sequence?: number; readonly created?: number; readonly state?: 'pending' | 'delivered' | 'failed' | 'skipped'; readonly attempts?: readonly ({ readonly at: number; readonly status?: number; readonly durationMs: number; readonly reason?: string; readonly replySnippet?: string })[]; readonly nextAttemptAt?: number })[] } }
  /** List the static tokens of a domain. */
  listDomainTokens: { params: { domain_name: string }; query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: { readonly status: 'OK'; readonly info: readonly ({ readonly uuid?: string; readonly expire?: number; readonly roleName?: string; readonly description?: string; readonly createdBy?: string; readonly createdOn?: number; readonly enabled?: boolean })[] } }
  /** List the kept versions of a domain. */
  listDomainVersions: { params: { domain_name: string }; query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: { readonly status: 'OK'; readonly info: readonly ({ readonly version?: number; readonly comment?: string; readonly createdBy?: string; readonly createdOn?: number; readonly bytes?: number })[] } }
  /** List domains. */
  listDomains: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string; customerId?: string }; answer: { readonly status: 'OK'; readonly data: { readonly [name: string]: { readonly id?: string; readonly domain?: string; readonly user?: string; readonly 'acc/dvc'?: string } } } }
  /** List the known events with the schemas of their fields. */
  listEventTypes: { answer: { readonly status: 'OK'; readonly data: readonly ({ readonly event: string; readonly schema: { readonly [name: string]: unknown } })[] } }
  /** List the events of a domain by their numbers, with every gap. */
  listEvents: { query?: { domain?: string; since?: string; limit?: number }; answer: { readonly status: 'OK'; readonly info?: string; readonly data: { readonly events: readonly ({ readonly sequence: number; readonly at: number; readonly name: string; readonly uuid: string; readonly event: { readonly [name: string]: string } })[]; readonly gaps: readonly ({ readonly kind: 'numbers'; readonly reason: 'not_kept' | 'void'; readonly fromSequence: number; readonly toSequence: number } | { readonly kind: 'time'; readonly reason: 'engine_link_lost' | 'engine_restarted' | 'connector_ended' | 'events_dropped' | 'events_unreadable' | 'no_hook' | 'several'; readonly from: number; readonly to: number })[]; readonly head: number; readonly next: number; readonly more: boolean; readonly isCollected: boolean } } }
  /** List the hooks of a domain. */
  listHooks: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: { readonly status: 'OK'; readonly data: readonly ({ readonly _id?: string; readonly domain?: string; readonly event?: string; readonly enable?: boolean; readonly description?: string; readonly action?: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields?: readonly (string)[]; readonly map?: { readonly [name: string]: string }; readonly filter?: { readonly [name: string]: { readonly operation: string; readonly value: string | number | boolean | null } }; readonly headers?: { readonly [name: string]: string }; readonly auth?: { readonly enabled: boolean; readonly url: string; readonly method: string; readonly headers: { readonly [name: string]: string }; readonly map: { readonly [name: string]: string }; readonly cookie: boolean }; readonly customBody?: boolean; readonly rawBody?: string; readonly retries?: number; readonly delay?: number; readonly disabledReason?: string })[] } }
  /** Get the call detail records of a call's other legs. */
  listOtherLegs: { params: { uuid: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: readonly ({ readonly [name: string]: unknown })[] } }
  /** List the roles of a domain. */
  listRoles: { query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string }; answer: { readonly status: 'OK'; readonly info: readonly ({ readonly roles?: string; readonly allows?: { readonly [name: string]: readonly (string)[] }; readonly parents?: readonly (string)[] })[] } }
  /** Log in. */
  logIn: { body?: { readonly username?: string; readonly password?: string; readonly code?: string }; answer: { readonly key: string; readonly username: string; readonly expires: number; readonly token: string; readonly role: number; readonly roleName: string; readonly acl: { readonly [name: string]: readonly (string)[] }; readonly cdr: { readonly host: string; readonly useProxy: 'true' } } }
  /** Log out. */
  logOut: { answer: { readonly status: 'OK'; readonly info: string } }
  /** Move a default route down. */
  moveDefaultRouteDown: { params: { route_id: string }; query?: { domain?: string }; answer: { readonly _id: string; readonly destination_number: string; readonly name: string; readonly order: number; readonly disabled: boolean; readonly domain: string; readonly fs_timezone: string | null; readonly description: string; readonly callflow: readonly ({ readonly [name: string]: unknown })[]; readonly ignored?: readonly (string)[]; readonly version: number } }
  /** Move a default route up. */
  moveDefaultRouteUp: { params: { route_id: string }; query?: { domain?: string }; answer: { readonly _id: string; readonly destination_number: string; readonly name: string; readonly order: number; readonly disabled: boolean; readonly domain: string; readonly fs_timezone: string | null; readonly description: string; readonly callflow: readonly ({ readonly [name: string]: unknown })[]; readonly ignored?: readonly (string)[]; readonly version: number } }
  /** Originate a call. */
  originateCall: { query?: { domain?: string }; body: { readonly calledId: string; readonly callerId?: string; readonly domain?: string; readonly auto_answer_param?: string; readonly variables?: { readonly [name: string]: string }; readonly timeout?: number }; answer: { readonly status: 'OK'; readonly info: string; readonly pending?: true } }
  /** Read an account. */
  readAccount: { params: { account_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly [name: string]: string } } }
  /** Read the description of this API. */
  readApiDescription: { answer: { readonly openapi: string; readonly paths: { readonly [name: string]: unknown }; readonly [name: string]: unknown } }
  /** List the numbers of a blacklist. */
  readBlacklist: { params: { blacklist_name: string }; query?: { domain?: string; limit?: number; page?: number; cursor?: string; columns?: string; sort?: string; filter?: string; order?: string; orderValue?: '1' | '-1' }; answer: readonly ({ readonly _id?: string; readonly number?: string; readonly name?: string; readonly domain?: string; readonly expires?: number; readonly note?: string })[] }
  /** Find a number in a blacklist. */
  readBlacklistNumber: { params: { blacklist_name: string; blacklist_number: string }; query?: { domain?: string }; answer: readonly ({ readonly _id: string; readonly number: string; readonly name: string; readonly domain: string; readonly expires?: number; readonly note?: string })[] }
  /** Get the call detail record of a leg. */
  readCdr: { params: { uuid: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly [name: string]: unknown } } }
  /** Read a default route. */
  readDefaultRoute: { params: { route_id: string }; query?: { domain?: string }; answer: { readonly _id: string; readonly destination_number: string; readonly name: string; readonly order: number; readonly disabled: boolean; readonly domain: string; readonly fs_timezone: string | null; readonly description: string; readonly callflow: readonly ({ readonly [name: string]: unknown })[]; readonly ignored?: readonly (string)[]; readonly version: number } }
  /** Read a domain. */
  readDomain: { params: { domain_name: string }; answer: { readonly status: 'OK'; readonly info: { readonly name: string; readonly customer_id: string; readonly variables: readonly (string)[]; readonly parameters: readonly (string)[]; readonly ignored?: readonly (string)[]; readonly created_on: number; readonly counts: { readonly accounts: number; readonly devices: number } } } }
  /** Read a kept version of a domain with its document. */
  readDomainVersion: { params: { domain_name: string; version: string }; answer: { readonly status: 'OK'; readonly info: { readonly version: number; readonly comment: string; readonly createdBy: string; readonly createdOn: number; readonly bytes: number; readonly document: string } } }
  /** Read the mail settings of a domain. */
  readEmailSettings: { query?: { domain?: string }; answer: { readonly _id: string; readonly provider: 'smtp'; readonly description: string; readonly from: string; readonly options: { readonly host: string; readonly port: number; readonly secure: boolean; readonly debug: boolean; readonly tls: { readonly rejectUnauthorized: boolean; readonly allowPlaintextLogin?: boolean }; readonly auth?: { readonly user?: string; readonly pass?: '********' } }; readonly domain: string } }
  /** Read the description of what hooks deliver. */
  readEventDescription: { answer: { readonly asyncapi: string; readonly channels: { readonly [name: string]: unknown }; readonly [name: string]: unknown } }
  /** Get the state of an export and the link to its file. */
  readExport: { params: { job_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly jobId: string; readonly state: 'queued' | 'running' | 'done' | 'failed'; readonly format: 'csv' | 'jsonl'; readonly createdOn: number; readonly rows: number; readonly size?: number; readonly url?: string; readonly expires?: number; readonly reason?: string } } }
  /** Tell whether the service is up. */
  readHealth: { answer: { readonly status: 'OK' | 'error' } }
  /** Read a hook. */
  readHook: { params: { hook_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly _id: string; readonly domain: string; readonly event: string; readonly enable: boolean; readonly description: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields: readonly (string)[]; readonly map: { readonly [name: string]: string }; readonly filter: { readonly [name: string]: { readonly operation: string; readonly value: string | number | boolean | null } }; readonly headers: { readonly [name: string]: string }; readonly auth: { readonly enabled: boolean; readonly url: string; readonly method: string; readonly headers: { readonly [name: string]: string }; readonly map: { readonly [name: string]: string }; readonly cookie: boolean }; readonly customBody: boolean; readonly rawBody: string; readonly retries: number; readonly delay?: number; readonly disabledReason?: string } } }
  /** Get a recording of a call, or the list of its recordings. */
  readRecording: { params: { uuid: string }; query?: { domain?: string; file_name?: string; type?: string; name?: string; redirect?: 'true' | 'false' }; answer: { readonly url: string; readonly expires: number; readonly contentType: string; readonly size: number } | readonly ({ readonly uuid: string; readonly name: string; readonly 'content-type'?: string; readonly size?: number; readonly createdOn: number; readonly status: 'stored' | 'expected' | 'failed' | 'deleted'; readonly hash?: string })[] }
  /** Read what a role allows. */
  readRole: { params: { name: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly info: { readonly [name: string]: readonly (string)[] } } }
  /** Report the runtime status. */
  readStatus: { answer: { readonly version: string; readonly nodeMemory: { readonly rss: number; readonly heapTotal: number; readonly heapUsed: number }; readonly processId: number; readonly socketSessions: number; readonly userSessions: number; readonly maxUserSessions: number; readonly domainSessions: number; readonly processUpTimeSec: number; readonly wConsole: { readonly status: 'Connected' | 'Offline'; readonly apiQueue: number; readonly cmdQueue: number; readonly version: string; readonly sid: string }; readonly system: { readonly totalMemory: number; readonly freeMemory: number; readonly platform: string; readonly name: string; readonly architecture: string }; readonly crashCount: string; readonly freeSWITCH: string; readonly nodeVersion: string; readonly eventLagSec?: number; readonly eventWaitsSec?: { readonly hookDispatch: number; readonly deliver: number; readonly deliverSlowly: number } } }
  /** Remove a number from a blacklist. */
  removeBlacklistNumber: { params: { blacklist_name: string; blacklist_number: string }; query?: { domain?: string }; answer: { readonly ok: 1; readonly n: number } }
  /** Replace a default route. */
  replaceDefaultRoute: { params: { route_id: string }; query?: { domain?: string }; body: { readonly destination_number: string; readonly name?: string; readonly order?: number; readonly disabled?: boolean; readonly fs_timezone?: string | null; readonly description?: string; readonly callflow?: readonly (unknown)[] }; answer: { readonly _id: string; readonly destination_number: string; readonly name: string; readonly order: number; readonly disabled: boolean; readonly domain: string; readonly fs_timezone: string | null; readonly description: string; readonly callflow: readonly ({ readonly [name: string]: unknown })[]; readonly ignored?: readonly (string)[]; readonly version: number } }
  /** Replace the mail settings of a domain. */
  replaceEmailSettings: { query?: { domain?: string }; body: { readonly provider: 'smtp'; readonly description?: string; readonly from?: string; readonly options: { readonly host: string; readonly port?: number; readonly secure?: boolean; readonly debug?: boolean; readonly tls?: { readonly rejectUnauthorized?: boolean; readonly allowPlaintextLogin?: boolean }; readonly auth?: { readonly user?: string; readonly pass?: string } }; readonly domain?: string }; answer: { readonly _id: string; readonly provider: 'smtp'; readonly description: string; readonly from: string; readonly options: { readonly host: string; readonly port: number; readonly secure: boolean; readonly debug: boolean; readonly tls: { readonly rejectUnauthorized: boolean; readonly allowPlaintextLogin?: boolean }; readonly auth?: { readonly user?: string; readonly pass?: '********' } }; readonly domain: string } }
  /** Replace a hook. */
  replaceHook: { params: { hook_id: string }; query?: { domain?: string }; body: { readonly event: string; readonly enable?: boolean; readonly description?: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields?: readonly (string)[]; readonly map?: { readonly [name: string]: string }; readonly filter?: { readonly [name: string]: { readonly operation: '==' | '!=' | '<' | '>' | '<=' | '>=' | 'reg'; readonly value: string | number | boolean | null } }; readonly headers?: { readonly [name: string]: string }; readonly auth?: { readonly enabled?: boolean; readonly url?: string; readonly method?: string; readonly headers?: { readonly [name: string]: string }; readonly map?: { readonly [name: string]: string }; readonly cookie?: boolean }; readonly customBody?: boolean; readonly rawBody?: string; readonly retries?: number; readonly delay?: number }; answer: { readonly status: 'OK'; readonly data: { readonly _id: string; readonly domain: string; readonly event: string; readonly enable: boolean; readonly description: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields: readonly (string)[]; readonly map: { readonly [name: string]: string }; readonly filter: { readonly [name: string]: { readonly operation: string; readonly value: string | number | boolean | null } }; readonly headers: { readonly [name: string]: string }; readonly auth: { readonly enabled: boolean; readonly url: string; readonly method: string; readonly headers: { readonly [name: string]: string }; readonly map: { readonly [name: string]: string }; readonly cookie: boolean }; readonly customBody: boolean; readonly rawBody: string; readonly retries: number; readonly delay?: number; readonly disabledReason?: string } } }
  /** Send the deliveries of a time again. */
  replayDeliveries: { params: { hook_id: string }; query?: { domain?: string }; body: { readonly from: number; readonly to: number; readonly state?: 'delivered' | 'failed' | 'skipped'; readonly cursor?: string }; answer: { readonly status: 'OK'; readonly data: { readonly requeued: number; readonly pending: number; readonly left: number; readonly next: string | null } } }
  /** Send a delivery again. */
  resendDelivery: { params: { hook_id: string; delivery_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly id: string; readonly hook: string; readonly event: string; readonly uuid: string; readonly sequence: number; readonly created: number; readonly state: 'pending' | 'delivered' | 'failed' | 'skipped'; readonly attempts: readonly ({ readonly at: number; readonly status?: number; readonly durationMs: number; readonly reason?: string; readonly replySnippet?: string })[]; readonly nextAttemptAt?: number } } }
  /** Give a hook a new signing secret. */
  rotateHookSecret: { params: { hook_id: string }; query?: { domain?: string }; answer: { readonly status: 'OK'; readonly data: { readonly _id: string; readonly secrets: { readonly [name: string]: string }; readonly previousUntil: number } } }
  /** Continue a search of call detail records. */
  scrollCdrs: { query?: { domain?: string }; body: { readonly domain?: string; readonly scrollId: string }; answer: { readonly took: number; readonly timed_out: boolean; readonly _shards: { readonly total: number; readonly successful: number; readonly skipped: number; readonly failed: number }; readonly hits: { readonly total: number; readonly max_score: null; readonly hits: readonly ({ readonly _index: string; readonly _type: 'cdr'; readonly _id: string; readonly _score: null; readonly fields?: { readonly [name: string]: readonly (string | number)[] }; readonly _source?: { readonly [name: string]: unknown }; readonly sort: readonly (string | number | boolean | null)[] })[] }; readonly aggregations?: { readonly [name: string]: unknown }; readonly scrollId?: string } }
  /** Search call detail records. */
  searchCdrs: { query?: { domain?: string; leg?: 'a' | 'b' | '*' }; body?: { readonly domain?: string; readonly [name: string]: unknown }; answer: { readonly took: number; readonly timed_out: boolean; readonly _shards: { readonly total: number; readonly successful: number; readonly skipped: number; readonly failed: number }; readonly hits: { readonly total: number; readonly max_score: null; readonly hits: readonly ({ readonly _index: string; readonly _type: 'cdr'; readonly _id: string; readonly _score: null; readonly fields?: { readonly [name: string]: readonly (string | number)[] }; readonly _source?: { readonly [name: string]: unknown }; readonly sort: readonly (string | number | boolean | null)[] })[] }; readonly aggregations?: { readonly [name: string]: unknown }; readonly scrollId?: string } }
  /** Send a test mail with the settings of a domain. */
  sendTestMail: { query?: { domain?: string }; body: { readonly to: string; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Show how a call would be routed; nothing is dialled. */
  simulateDefaultRoutes: { query?: { domain?: string }; body: { readonly number: string; readonly caller?: string; readonly time?: number | string; readonly variables?: { readonly [name: string]: string }; readonly direction?: 'internal' }; answer: { readonly status: 'OK'; readonly data: { readonly matched: { readonly kind: 'emergency' | 'account' | 'default' | 'none'; readonly _id?: string; readonly name?: string }; readonly considered: readonly ({ readonly _id: string; readonly name: string; readonly reason: string })[]; readonly steps: readonly ({ readonly path: string; readonly kind: string; readonly application?: string; readonly data?: string; readonly taken: boolean; readonly reason: string })[]; readonly end: { readonly cause: string } | { readonly application: string } } } }
  /** Send a test event to a hook. */
  testHook: { params: { hook_id: string }; query?: { domain?: string }; body?: { readonly event?: { readonly [name: string]: TestHookBodyPart1 }; readonly force?: boolean }; answer: { readonly status: 'OK'; readonly data: { readonly state: 'delivered' | 'failed' | 'skipped'; readonly reason?: string; readonly delivery?: string; readonly sent: { readonly method: string; readonly url: string; readonly headers: { readonly [name: string]: string }; readonly body: string } | null; readonly reply: { readonly status: number; readonly durationMs: number; readonly snippet: string } | null; readonly refusedBy: readonly ({ readonly field: string; readonly operation: string; readonly value: string | number | boolean | null; readonly found: string | null })[] } } }
  /** Update an account. */
  updateAccount: { params: { account_id: string }; query?: { domain?: string }; body?: { readonly login?: string; readonly domain?: string; readonly password?: string; readonly role?: string; readonly parameters?: readonly (string)[]; readonly variables?: readonly (string)[] }; answer: { readonly status: 'OK'; readonly info: { readonly [name: string]: string } } }
  /** Change parameters of a domain. */
  updateDomainParameters: { params: { domain_name: string }; body: readonly (string | { readonly key: string; readonly value: string })[]; answer: { readonly status: 'OK'; readonly info: { readonly name: string; readonly customer_id: string; readonly variables: readonly (string)[]; readonly parameters: readonly (string)[]; readonly ignored?: readonly (string)[]; readonly created_on: number; readonly counts: { readonly accounts: number; readonly devices: number } } } }
  /** Enable or disable a static token of a domain. */
  updateDomainToken: { params: { domain_name: string; uuid: string }; body: { readonly state: boolean; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: { readonly uuid: string; readonly expire: number; readonly roleName: string; readonly description: string; readonly createdBy: string; readonly createdOn: number; readonly enabled: boolean } } }
  /** Change variables of a domain. */
  updateDomainVariables: { params: { domain_name: string }; body: readonly (string | { readonly key: string; readonly value: string })[]; answer: { readonly status: 'OK'; readonly info: { readonly name: string; readonly customer_id: string; readonly variables: readonly (string)[]; readonly parameters: readonly (string)[]; readonly ignored?: readonly (string)[]; readonly created_on: number; readonly counts: { readonly accounts: number; readonly devices: number } } } }
  /** Change fields of a hook. */
  updateHook: { params: { hook_id: string }; query?: { domain?: string }; body?: { readonly event?: string; readonly enable?: boolean; readonly description?: string; readonly action?: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields?: readonly (string)[]; readonly map?: { readonly [name: string]: string }; readonly filter?: { readonly [name: string]: { readonly operation: '==' | '!=' | '<' | '>' | '<=' | '>=' | 'reg'; readonly value: string | number | boolean | null } }; readonly headers?: { readonly [name: string]: string }; readonly auth?: { readonly enabled?: boolean; readonly url?: string; readonly method?: string; readonly headers?: { readonly [name: string]: string }; readonly map?: { readonly [name: string]: string }; readonly cookie?: boolean }; readonly customBody?: boolean; readonly rawBody?: string; readonly retries?: number; readonly delay?: number | null }; answer: { readonly status: 'OK'; readonly data: { readonly _id: string; readonly domain: string; readonly event: string; readonly enable: boolean; readonly description: string; readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }; readonly fields: readonly (string)[]; readonly map: { readonly [name: string]: string }; readonly filter: { readonly [name: string]: { readonly operation: string; readonly value: string | number | boolean | null } }; readonly headers: { readonly [name: string]: string }; readonly auth: { readonly enabled: boolean; readonly url: string; readonly method: string; readonly headers: { readonly [name: string]: string }; readonly map: { readonly [name: string]: string }; readonly cookie: boolean }; readonly customBody: boolean; readonly rawBody: string; readonly retries: number; readonly delay?: number; readonly disabledReason?: string } } }
  /** Change a role. */
  updateRole: { params: { name: string }; query?: { domain?: string }; body?: { readonly allows?: { readonly [name: string]: readonly (string)[] }; readonly parents?: string | readonly (string)[] | null; readonly domain?: string }; answer: { readonly status: 'OK'; readonly info: string } }
  /** Describe the caller and its permissions. */
  whoAmI: { answer: { readonly id: string; readonly domain: string; readonly role: number; readonly roleName: string; readonly acl: { readonly [name: string]: readonly (string)[] }; readonly expires: number; readonly cdr: { readonly host: string; readonly useProxy: 'true' } } }
}
