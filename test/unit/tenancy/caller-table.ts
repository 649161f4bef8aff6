/** Who is answered what: endpoint × caller × thing, as data. */

/** `operator` has a role that its domain made, `program` the domain's own token with the role of a user. */
export const callers = ['user', 'admin', 'operator', 'program', 'foreign admin', 'root'] as const
/** One of them. */
export type Caller = (typeof callers)[number]

/** The owner of the requested thing; a `missing` one does not exist. */
export type Thing = 'own' | 'of the tenant' | 'of another tenant' | 'missing'

const forAll = '200 200 200 200 200 200'
const forManagers = '403 200 403 403 200 200'
const wrongCode = '400 400 400 400 400 400'
const refused = '401 401 401 401 401 401'
const forRoot = '403 403 403 403 403 200'
const changeOfTheTenant = '403 200 403 403 404 200'
const changeOfAnother = '403 404 403 403 200 404'
const changeOfMissing = '403 404 403 403 404 404'

/** A record of a domain that is for its managers. */
const managed = {
  'of the tenant': changeOfTheTenant,
  'of another tenant': changeOfAnother,
  missing: changeOfMissing,
}

/** A default route or a hook, which the operator may read. */
const readable = {
  'of the tenant': '403 200 200 403 404 200',
  'of another tenant': '403 404 404 403 200 404',
  missing: '403 404 404 403 404 404',
}

/** A domain, which its managers may change. */
const itsDomain = {
  'of the tenant': '403 200 403 403 403 200',
  'of another tenant': '403 403 403 403 200 200',
  missing: '403 403 403 403 403 404',
}

/** A role, which root alone may change. */
const itsRole = {
  'of the tenant': forRoot,
  'of another tenant': '403 403 403 403 403 404',
  missing: '403 403 403 403 403 404',
}

/** The CDR of a call, which its user may read, too; a program owns no call. */
const itsCdr = {
  own: '200 200 403 404 200 200',
  'of the tenant': '404 200 403 404 404 200',
  'of another tenant': '404 404 403 404 200 404',
  missing: '404 404 403 404 404 404',
}

/** Blacklists answer "none" for missing entries, so that only the permission shows. */
const anyList = (statuses: string) => ({
  'of the tenant': statuses,
  'of another tenant': statuses,
  missing: statuses,
})

/** The things that an endpoint can be asked for, and what each of {@link callers} is answered. */
export type Line = Readonly<Partial<Record<Thing, string>>>

/** The common answers of every endpoint. A caller without a token gets 401, unless the endpoint requires none. */
export const table: Readonly<Record<string, Line>> = {
  // No token is asked for, and none helps.
  readHealth: { own: forAll },
  readApiDescription: { own: forAll },
  readEventDescription: { own: forAll },
  readReference: { own: forAll },
  readReferenceFile: { own: forAll, 'of another tenant': forAll, missing: forAll },
  // The colleague and the account of another tenant would need a code besides.
  logIn: { own: forAll, 'of the tenant': refused, 'of another tenant': refused, missing: '404 404 404 404 404 404' },
  takeCdr: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  uploadRecording: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  takeVoicemail: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  lookUpDirectory: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  lookUpDialplan: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },

  logOut: { own: '200 200 200 403 200 200' },
  whoAmI: { own: forAll },
  beginTotp: { own: '200 200 200 400 200 400' },
  // The code of one's own device, of a colleague's, of that of the same login elsewhere; with none begun, any.
  confirmTotp: {
    own: '200 200 200 400 200 400',
    'of the tenant': wrongCode,
    'of another tenant': wrongCode,
    missing: '409 409 409 400 409 400',
  },
  endTotp: {
    own: '200 200 200 400 200 400',
    'of the tenant': wrongCode,
    'of another tenant': wrongCode,
    missing: '404 404 404 400 404 400',
  },
  readStatus: { own: forAll },
  listEventTypes: { own: forAll },

  listDomains: { 'of the tenant': '403 200 200 403 200 200' },
  createDomain: { own: forRoot },
  readDomain: {
    'of the tenant': '403 200 200 403 403 200',
    'of another tenant': '403 403 403 403 200 200',
    missing: '403 403 403 403 403 404',
  },
  updateDomainVariables: itsDomain,
  updateDomainParameters: itsDomain,
  deleteDomain: { 'of the tenant': forRoot, 'of another tenant': forRoot, missing: '403 403 403 403 403 404' },
  listDomainTokens: itsDomain,
  createDomainToken: itsDomain,
  updateDomainToken: managed,
  deleteDomainToken: managed,
  listDomainVersions: itsDomain,
  keepDomainVersion: itsDomain,
  readDomainVersion: itsDomain,

  listAccounts: { 'of the tenant': forAll },
  createAccount: { 'of the tenant': forManagers },
  readAccount: {
    own: forAll,
    'of the tenant': '200 200 403 200 404 200',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },
  updateAccount: { own: '200 200 200 403 200 200', ...managed },
  // No user can delete the own account; root deletes the user.
  deleteAccount: { own: '403 400 403 403 400 200', ...managed },
  // One's own second factor takes a code; the user, whom root asks for, has none.
  endAccountTotp: { own: '403 400 403 403 400 404', ...managed },

  listRoles: { 'of the tenant': '200 200 403 200 200 200' },
  createRole: { 'of the tenant': forRoot },
  readRole: {
    'of the tenant': '200 200 403 200 404 200',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },
  updateRole: itsRole,
  deleteRole: itsRole,

  listChannels: { 'of the tenant': forAll },
  originateCall: {
    own: '200 200 403 403 200 200',
    'of the tenant': changeOfTheTenant,
    'of another tenant': changeOfAnother,
    missing: changeOfMissing,
  },
  // A program owns no call, also none of the user whose role it has.
  holdChannel: {
    own: '200 200 403 404 200 200',
    'of the tenant': '404 200 403 404 404 200',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },
  hangUpChannel: {
    own: '200 200 200 404 200 200',
    'of the tenant': '404 200 404 404 404 200',
    'of another tenant': '404 404 404 404 200 404',
    missing: '404 404 404 404 404 404',
  },
  eavesdropChannel: { own: forManagers, ...managed },

  listBlacklists: { 'of the tenant': forAll },
  readBlacklist: anyList(forAll),
  readBlacklistNumber: anyList(forAll),
  addBlacklistNumber: anyList('200 200 403 200 200 200'),
  removeBlacklistNumber: anyList(forManagers),
  deleteBlacklist: anyList(forManagers),

  listDefaultRoutes: { 'of the tenant': '403 200 200 403 200 200' },
  simulateDefaultRoutes: { 'of the tenant': '403 200 200 403 200 200' },
  createDefaultRoute: { 'of the tenant': forManagers },
  readDefaultRoute: readable,
  replaceDefaultRoute: managed,
  moveDefaultRouteUp: managed,
  moveDefaultRouteDown: managed,
  deleteDefaultRoute: managed,

  listPublicRoutes: { 'of the tenant': forManagers },
  createPublicRoute: { 'of the tenant': forManagers },
  readPublicRoute: managed,
  replacePublicRoute: managed,
  movePublicRouteUp: managed,
  movePublicRouteDown: managed,
  deletePublicRoute: managed,
  listGateways: { 'of the tenant': forManagers },
  createGateway: { 'of the tenant': forManagers },
  readGateway: managed,
  replaceGateway: managed,
  updateGateway: managed,
  deleteGateway: managed,

  listHooks: { 'of the tenant': '403 200 200 403 200 200' },
  createHooks: { 'of the tenant': forManagers },
  readHook: readable,
  replaceHook: managed,
  updateHook: managed,
  deleteHook: managed,
  rotateHookSecret: managed,
  listDeliveries: readable,
  resendDelivery: managed,
  replayDeliveries: managed,
  testHook: managed,
  dryRunHook: { 'of the tenant': '403 200 200 403 200 200' },

  listEvents: { 'of the tenant': '403 200 200 403 200 200' },

  readEmailSettings: { 'of the tenant': forManagers, missing: changeOfMissing },
  createEmailSettings: { 'of the tenant': forManagers, missing: forManagers },
  replaceEmailSettings: { 'of the tenant': forManagers, missing: changeOfMissing },
  deleteEmailSettings: { 'of the tenant': forManagers, missing: forManagers },
  sendTestMail: { 'of the tenant': forManagers, missing: changeOfMissing },

  searchCdrs: { 'of the tenant': '200 200 403 200 200 200' },
  scrollCdrs: { missing: '400 400 403 400 400 400' },
  readCdr: itsCdr,
  listOtherLegs: itsCdr,
  beginExport: { 'of the tenant': '200 200 403 200 200 200' },
  readExport: {
    own: '200 200 403 404 200 200',
    // The admin's; root has not asked for it.
    'of the tenant': '404 200 403 404 404 404',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },

  // The colleague's call belongs to the colleague alone; a program owns no call.
  readRecording: {
    own: '302 302 403 404 302 302',
    'of the tenant': '404 302 403 404 404 302',
    'of another tenant': '404 404 403 404 302 404',
    missing: '404 404 403 404 404 404',
  },
  deleteRecordings: { own: forManagers, ...managed },
  holdRecordings: { own: forManagers, ...managed },

  listAudit: { 'of the tenant': forManagers },
}
