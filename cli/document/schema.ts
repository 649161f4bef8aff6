import * as z from 'zod'
import { numbersOf } from './account-numbers.ts'
import { hook } from './hook-schema.ts'
import type { Settings } from './model.ts'
import { publicRoutes, routes } from './route-schema.ts'
import { isReference } from './secrets.ts'
import {
  checked,
  flag,
  list,
  map,
  members,
  optionalText,
  secret,
  settings,
  text,
  texts,
  wholeNumber,
} from './schema-values.ts'

/** The version of the format of documents. */
export const formatVersion = 1

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
