import * as z from 'zod'
import { numbersOf } from './account-numbers.ts'
import type { JsonObject, Settings } from './model.ts'
import { isPin, isReference, isSecretValue, kept } from './secrets.ts'
import { jsonOf } from './yaml-tree.ts'

/** The version of the format of documents. */
export const formatVersion = 1

/** Reports a problem of a value, or of one of its members. */
type Report = (problem: string, ...path: PropertyKey[]) => void

/** Returns a check of a value that may find problems in its members. */
function checked<T>(check: (value: T, report: Report) => void) {
  return (value: T, context: z.core.$RefinementCtx<T>) =>
    check(value, (message, ...path) => context.addIssue({ code: 'custom', message, path }))
}

const text = z.string()
const flag = z.stringFormat('flag', /^(true|false)$/i, 'must be true or false').transform((word) => /^t/i.test(word))
const wholeNumber = z
  .string('must be a whole number')
  .refine((word) => word.trim() !== '' && Number.isSafeInteger(Number(word)), 'must be a whole number')
  .transform(Number)
/** A list; an empty value is one without items. */
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullable()
    .transform((items) => items ?? [])
/** Values by name; an empty value has none. */
const map = <T extends z.ZodType>(value: T) =>
  z
    .record(text, value)
    .nullable()
    .transform((entries): Record<string, z.output<T>> => entries ?? {})
/** Members by name; an empty value has only defaults. */
const members = <S extends z.core.$ZodShape>(shape: S) => z.preprocess((value) => value ?? {}, z.strictObject(shape))
/** An empty text is the same as none. */
const optionalText = text.transform((value) => value || undefined).optional()
/** Each text of a list once, as the platform keeps it. */
const texts = list(text).transform((items) => [...new Set(items)])

const secretProblem =
  'is a secret and must not be in a document: name an environment variable, "${env:NAME}"' +
  ' (capital letters, digits and _), or write "********" to keep what is stored'

const isWrittenOut = (value: string) => value !== '' && value !== kept && !isReference(value)

const secret = text.refine((value) => !isWrittenOut(value), secretProblem)

/** Settings: an empty value is the same as none, and a secret is a reference. */
const settings = map(text.nullable())
  .transform(
    (entries): Settings =>
      Object.fromEntries(Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : []))),
  )
  .superRefine(
    checked((entries, report) => {
      for (const [name, value] of Object.entries(entries)) {
        if (isPin(name) && isWrittenOut(value)) report(secretProblem, name)
        if (!isPin(name) && isReference(value)) report('is no secret, and only secrets may name the environment', name)
      }
    }),
  )

/** Headers and fields of a hook: those that hold secrets are references, and no other may be one. */
const hookValues = map(text).superRefine(
  checked((entries, report) => {
    for (const [name, value] of Object.entries(entries)) {
      if (isSecretValue(name) && isWrittenOut(value)) report(secretProblem, name)
      if (!isSecretValue(name) && (isReference(value) || value === kept))
        report('only values that hold secrets, such as Authorization or password, may name the environment', name)
    }
  }),
)

export const role = members({ parent: text.nullable().default(null), allows: map(list(text)).prefault(null) })

/** Settings of an account that stand at the account itself. */
const apart = { password: 'password', role: 'role', account_role: 'role' } as const

function settingsWithout(...names: (keyof typeof apart)[]) {
  const check = checked<Settings>((entries, report) => {
    for (const name of names)
      if (entries[name] !== undefined) report(`must stand at the account itself, as "${apart[name]}"`, name)
  })
  return settings.superRefine(check)
}

export const account = members({
  role: text.default('user'),
  /** A reference, read only when the account is created; a stored one is not compared. */
  password: secret.transform((value) => (isReference(value) ? value : undefined)).optional(),
  parameters: settingsWithout('password', 'role').prefault(null),
  variables: settingsWithout('account_role').prefault(null),
})

const accounts = map(account).superRefine(
  checked((entries, report) => {
    const [logins, holders] = [new Map<string, string>(), new Map<string, string>()]
    for (const [login, of] of Object.entries(entries)) {
      const same = logins.get(login.toLowerCase())
      if (same !== undefined) report(`is the same login as "${same}"`, login)
      logins.set(login.toLowerCase(), login)
      for (const number of numbersOf(login, of)) {
        const other = holders.get(number)
        if (other !== undefined) report(`has the number ${number}, which ${other} has, too`, login)
        holders.set(number, login)
      }
    }
  }),
)

const time = text.transform((value, context) => {
  const moment = /^\d+$/.test(value) ? Number(value) : Date.parse(value)
  if (!Number.isSafeInteger(moment)) context.addIssue('must be a time such as 2027-01-31T08:00:00Z')
  return moment
})

export const entry = members({
  expires: time.optional(),
  note: text
    .nullable()
    .transform((value) => value || undefined)
    .optional(),
})

/**
 * A blacklist is a list of numbers, or a map from numbers to `expires` and `note`. A number is kept without
 * punctuation.
 */
const blacklist = z
  .preprocess(
    (value) =>
      Array.isArray(value)
        ? Object.fromEntries(value.map((number) => [typeof number === 'string' ? number : '', null]))
        : value,
    map(entry),
  )
  .transform((entries, context): Record<string, z.output<typeof entry>> => {
    const numbers = new Map<string, z.output<typeof entry>>()
    const report = (written: string, message: string) => context.addIssue({ code: 'custom', message, path: [written] })
    for (const [written, of] of Object.entries(entries)) {
      const number = written.replaceAll(/[ ().-]/g, '')
      if (!/^[0-9+*#A-Za-z]{1,32}$/.test(number)) report(written, `"${written.slice(0, 64)}" is not a number`)
      if (numbers.has(number)) report(written, `the number ${number} is there twice`)
      numbers.set(number, of)
    }
    return Object.fromEntries(numbers)
  })

/** The ports of mail submission with TLS from the first byte, and with STARTTLS. */
const [tlsPort, startTlsPort] = [465, 587]

/** Mail settings. */
export const email = z
  .strictObject({
    host: text,
    port: wholeNumber.optional(),
    from: text.default(''),
    description: text.default(''),
    secure: flag.default(true),
    debug: flag.default(false),
    rejectUnauthorized: flag.default(true),
    allowPlaintextLogin: flag.default(false),
    user: optionalText,
    pass: secret.transform((value) => value || undefined).optional(),
  })
  .transform((of) => ({ ...of, port: of.port ?? (of.secure ? tlsPort : startTlsPort) }))

/** A gateway, in the words of the API. The platform judges words of closed lists. */
export const gateway = z
  .strictObject({
    realm: optionalText,
    from_domain: text.optional(),
    proxy: text.optional(),
    register: flag.default(true),
    username: optionalText,
    from_user: optionalText,
    password: secret.transform((value) => value || undefined).optional(),
    networks: texts.prefault(null),
    transport: text.default('udp'),
    srtp: text.default('off'),
    expires: wholeNumber.default(600),
    caller_id: text.default('account'),
    max_calls: wholeNumber
      .nullable()
      .transform((value) => value ?? undefined)
      .optional(),
    codecs: texts.prefault(null),
    enabled: flag.default(true),
    profile: text.default('external'),
  })
  .refine(({ realm, proxy }) => realm !== undefined || proxy !== undefined, 'must have a realm or a proxy')
  .transform(({ proxy, realm = proxy?.split(':')[0] ?? '', from_domain = realm, ...rest }) => ({
    realm: realm.toLowerCase(),
    from_domain: from_domain.toLowerCase(),
    proxy: (proxy ?? realm).toLowerCase(),
    ...rest,
  }))

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

const step = z
  .custom<object>(isMap, 'must be a step: a map with the kind of the step')
  .transform((of) => jsonOf(of) as JsonObject)

/** A route as it is written; only a public one may be for a gateway. */
export const route = z.strictObject({
  name: text.optional(),
  pattern: text,
  gateway: optionalText,
  order: wholeNumber.optional(),
  disabled: flag.default(false),
  timezone: text.nullable().default(null),
  description: text.default(''),
  callflow: list(step).prefault(null),
})

/** A route without a name is named by its pattern, and one without an order comes after the one before it. */
function inOrder<R extends { readonly name?: string; readonly pattern: string; readonly order?: number }>(routes: R[]) {
  let last = 0
  const named = routes.map(({ name, order, ...rest }) => {
    last = order ?? last + 1
    return { ...rest, name: name ?? rest.pattern, order: last }
  })
  return named.toSorted((a, b) => a.order - b.order)
}

/** Default routes. */
export const routes = list(route.omit({ gateway: true })).transform(inOrder)

/** Public routes. */
export const publicRoutes = list(route).transform(inOrder)

const scalarProblem = 'must be text, a number, true, false or null'

const filter = z
  .custom<object>(isMap, 'must have an operation and a value')
  .transform(jsonOf)
  .pipe(z.strictObject({ operation: text, value: z.union([text, z.number(), z.boolean(), z.null()], scalarProblem) }))

const method = text.transform((word) => word.toUpperCase())

/** The request that a hook makes before each delivery. */
export const hookAuth = members({
  enabled: flag.default(false),
  url: text.default(''),
  method: method.default('GET'),
  headers: hookValues.prefault(null),
  map: hookValues.prefault(null),
  cookie: flag.default(false),
})

/** A hook. */
export const hook = z.strictObject({
  event: text,
  url: text,
  method: method.default('POST'),
  description: text.default(''),
  enable: flag.default(true),
  fields: list(text).prefault(null),
  map: map(text).prefault(null),
  filter: map(filter).prefault(null),
  headers: hookValues.prefault(null),
  auth: hookAuth,
  customBody: flag.default(false),
  rawBody: text.default(''),
  rawSubstitution: flag.transform((isOn): boolean | undefined => isOn || undefined).optional(),
  retries: wholeNumber.default(8),
  delay: wholeNumber
    .nullable()
    .transform((value) => value ?? undefined)
    .optional(),
})

/**
 * The document of a domain. Fields that are left out have the platform's defaults; the platform checks the rules of
 * values.
 */
export const documentSchema = z.strictObject({
  callplane: z.literal(String(formatVersion), {
    error: ({ input }) =>
      input === undefined ? `must begin with "callplane: ${formatVersion}"` : `must be ${formatVersion}`,
  }),
  domain: text.transform((name) => name.toLowerCase()),
  parameters: settings.optional(),
  variables: settings.optional(),
  roles: map(role).optional(),
  accounts: accounts.optional(),
  blacklists: map(blacklist).optional(),
  email: email.nullish(),
  gateways: map(gateway).optional(),
  routes: z
    .strictObject({
      default: routes.optional(),
      public: publicRoutes.optional(),
    })
    .nullish(),
  hooks: list(hook).optional(),
})
