/** Who is answered what: endpoint × caller × thing, as data. */

/** `operator` has a role that its domain made, `program` the domain's own token with the role of a user. */
export const callers = ['user', 'admin', 'operator', 'program', 'foreign admin', 'root'] as const
/** One of them. */
export type Caller = (typeof callers)[number]

/** The status that each caller is answered. */
export type Statuses = Readonly<Record<Caller, number>>

/** Returns one status for each caller, but for those that are named. */
function each(status: number, others: Partial<Statuses> = {}): Statuses {
  return {
    user: status,
    admin: status,
    operator: status,
    program: status,
    'foreign admin': status,
    root: status,
    ...others,
  }
}

/** The owner of the requested thing; a `missing` one does not exist. */
export type Thing = 'own' | 'of the tenant' | 'of another tenant' | 'missing'

const forAll = each(200)
const forManagers = each(403, { admin: 200, 'foreign admin': 200, root: 200 })
const wrongCode = each(400)
const refused = each(401)
const forRoot = each(403, { root: 200 })
const changeOfTheTenant = each(403, { admin: 200, 'foreign admin': 404, root: 200 })
const changeOfAnother = each(403, { admin: 404, 'foreign admin': 200, root: 404 })
const changeOfMissing = each(403, { admin: 404, 'foreign admin': 404, root: 404 })

/** A record of a domain that is for its managers. */
const managed = {
  'of the tenant': changeOfTheTenant,
  'of another tenant': changeOfAnother,
  missing: changeOfMissing,
}

/** A default route or a hook, which the operator may read. */
const readable = {
  'of the tenant': each(200, { user: 403, program: 403, 'foreign admin': 404 }),
  'of another tenant': each(404, { user: 403, program: 403, 'foreign admin': 200 }),
  missing: each(404, { user: 403, program: 403 }),
}

/** A domain, which its managers may change. */
const itsDomain = {
  'of the tenant': each(403, { admin: 200, root: 200 }),
  'of another tenant': each(403, { 'foreign admin': 200, root: 200 }),
  missing: each(403, { root: 404 }),
}

/** A role, which root alone may change. */
const itsRole = {
  'of the tenant': forRoot,
  'of another tenant': each(403, { root: 404 }),
  missing: each(403, { root: 404 }),
}

/** The CDR of a call, which its user may read, too; a program owns no call. */
const itsCdr = {
  own: each(200, { operator: 403, program: 404 }),
  'of the tenant': each(404, { admin: 200, operator: 403, root: 200 }),
  'of another tenant': each(404, { operator: 403, 'foreign admin': 200 }),
  missing: each(404, { operator: 403 }),
}

/** Blacklists answer "none" for missing entries, so that only the permission shows. */
const anyList = (statuses: Statuses) => ({
  'of the tenant': statuses,
  'of another tenant': statuses,
  missing: statuses,
})

/** The things that an endpoint can be asked for, and what each of {@link callers} is answered. */
export type Line = Readonly<Partial<Record<Thing, Statuses>>>

/** The common answers of every endpoint. A caller without a token gets 401, unless the endpoint requires none. */
export const table: Readonly<Record<string, Line>> = {
  // No token is asked for, and none helps.
  readHealth: { own: forAll },
  readApiDescription: { own: forAll },
  readEventDescription: { own: forAll },
  readReference: { own: forAll },
  readReferenceFile: { own: forAll, 'of another tenant': forAll, missing: forAll },
  // The colleague and the account of another tenant would need a code besides.
  logIn: { own: forAll, 'of the tenant': refused, 'of another tenant': refused, missing: each(404) },
  takeCdr: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  uploadRecording: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  takeVoicemail: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  lookUpDirectory: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },
  lookUpDialplan: { own: refused, 'of the tenant': refused, 'of another tenant': refused, missing: refused },

  logOut: { own: each(200, { program: 403 }) },
  whoAmI: { own: forAll },
  beginTotp: { own: each(200, { program: 400, root: 400 }) },
  // The code of one's own device, of a colleague's, of that of the same login elsewhere; with none begun, any.
  confirmTotp: {
    own: each(200, { program: 400, root: 400 }),
    'of the tenant': wrongCode,
    'of another tenant': wrongCode,
    missing: each(409, { program: 400, root: 400 }),
  },
  endTotp: {
    own: each(200, { program: 400, root: 400 }),
    'of the tenant': wrongCode,
    'of another tenant': wrongCode,
    missing: each(404, { program: 400, root: 400 }),
  },
  readStatus: { own: forAll },
  listEventTypes: { own: forAll },

  listDomains: { 'of the tenant': each(200, { user: 403, program: 403 }) },
  createDomain: { own: forRoot },
  readDomain: {
    'of the tenant': each(403, { admin: 200, operator: 200, root: 200 }),
    'of another tenant': each(403, { 'foreign admin': 200, root: 200 }),
    missing: each(403, { root: 404 }),
  },
  updateDomainVariables: itsDomain,
  updateDomainParameters: itsDomain,
  deleteDomain: { 'of the tenant': forRoot, 'of another tenant': forRoot, missing: each(403, { root: 404 }) },
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
    'of the tenant': each(200, { operator: 403, 'foreign admin': 404 }),
    'of another tenant': each(404, { operator: 403, 'foreign admin': 200 }),
    missing: each(404, { operator: 403 }),
  },
  updateAccount: { own: each(200, { program: 403 }), ...managed },
  // No user can delete the own account; root deletes the user.
  deleteAccount: { own: each(403, { admin: 400, 'foreign admin': 400, root: 200 }), ...managed },
  // One's own second factor takes a code; the user, whom root asks for, has none.
  endAccountTotp: { own: each(403, { admin: 400, 'foreign admin': 400, root: 404 }), ...managed },

  listRoles: { 'of the tenant': each(200, { operator: 403 }) },
  createRole: { 'of the tenant': forRoot },
  readRole: {
    'of the tenant': each(200, { operator: 403, 'foreign admin': 404 }),
    'of another tenant': each(404, { operator: 403, 'foreign admin': 200 }),
    missing: each(404, { operator: 403 }),
  },
  updateRole: itsRole,
  deleteRole: itsRole,

  listChannels: { 'of the tenant': forAll },
  originateCall: {
    own: each(200, { operator: 403, program: 403 }),
    'of the tenant': changeOfTheTenant,
    'of another tenant': changeOfAnother,
    missing: changeOfMissing,
  },
  // A program owns no call, also none of the user whose role it has.
  holdChannel: {
    own: each(200, { operator: 403, program: 404 }),
    'of the tenant': each(404, { admin: 200, operator: 403, root: 200 }),
    'of another tenant': each(404, { operator: 403, 'foreign admin': 200 }),
    missing: each(404, { operator: 403 }),
  },
  hangUpChannel: {
    own: each(200, { program: 404 }),
    'of the tenant': each(404, { admin: 200, root: 200 }),
    'of another tenant': each(404, { 'foreign admin': 200 }),
    missing: each(404),
  },
  eavesdropChannel: { own: forManagers, ...managed },

  listBlacklists: { 'of the tenant': forAll },
  readBlacklist: anyList(forAll),
  readBlacklistNumber: anyList(forAll),
  addBlacklistNumber: anyList(each(200, { operator: 403 })),
  removeBlacklistNumber: anyList(forManagers),
  deleteBlacklist: anyList(forManagers),

  listDefaultRoutes: { 'of the tenant': each(200, { user: 403, program: 403 }) },
  simulateDefaultRoutes: { 'of the tenant': each(200, { user: 403, program: 403 }) },
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

  listHooks: { 'of the tenant': each(200, { user: 403, program: 403 }) },
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
  dryRunHook: { 'of the tenant': each(200, { user: 403, program: 403 }) },

  listEvents: { 'of the tenant': forAll },

  readEmailSettings: { 'of the tenant': forManagers, missing: changeOfMissing },
  createEmailSettings: { 'of the tenant': forManagers, missing: forManagers },
  replaceEmailSettings: { 'of the tenant': forManagers, missing: changeOfMissing },
  deleteEmailSettings: { 'of the tenant': forManagers, missing: forManagers },
  sendTestMail: { 'of the tenant': forManagers, missing: changeOfMissing },

  searchCdrs: { 'of the tenant': each(200, { operator: 403 }) },
  scrollCdrs: { missing: each(400, { operator: 403 }) },
  readCdr: itsCdr,
  deleteCdr: { own: forManagers, ...managed },
  listOtherLegs: itsCdr,
  beginExport: { 'of the tenant': each(200, { operator: 403 }) },
  readExport: {
    own: each(200, { operator: 403, program: 404 }),
    // The admin's; root has not asked for it.
    'of the tenant': each(404, { admin: 200, operator: 403 }),
    'of another tenant': each(404, { operator: 403, 'foreign admin': 200 }),
    missing: each(404, { operator: 403 }),
  },

  // The colleague's call belongs to the colleague alone; a program owns no call.
  readRecording: {
    own: each(302, { operator: 403, program: 404 }),
    'of the tenant': each(404, { admin: 302, operator: 403, root: 302 }),
    'of another tenant': each(404, { operator: 403, 'foreign admin': 302 }),
    missing: each(404, { operator: 403 }),
  },
  deleteRecordings: { own: forManagers, ...managed },
  holdRecordings: { own: forManagers, ...managed },

  beginErasure: { 'of the tenant': forManagers },
  readErasure: managed,

  listAudit: { 'of the tenant': forManagers },
}
