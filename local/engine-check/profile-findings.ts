import type { Finding } from './check-engine.ts'
import { type Element, type Parameters, isTrue, paramLine } from './engine-configuration.ts'

const profileRules: readonly (readonly [
  name: string,
  wanted: string,
  isRight: (value: string) => boolean,
  why: string,
])[] = [
  ['auth-calls', 'true', isTrue, 'calls are not authenticated'],
  ['accept-blind-reg', 'false', isNotTrue, 'phones register without a password'],
  [
    'db-inner-post-trans-execute',
    '$${contacts_guard} ($${steering_contacts}) $${contacts_guard_end}',
    (value) => value.includes('delete from sip_registrations'),
    'contacts of phones lead pings and lamps to any address',
  ],
  [
    'db-inner-pre-trans-execute',
    '$${subscriptions_guard}',
    (value) => value.includes('sip_subscriptions') || value === 'select 1',
    'a stranger can make the engine send NOTIFY to any address',
  ],
  ['accept-blind-auth', 'false', isNotTrue, 'calls are accepted without a password'],
  [
    'challenge-realm',
    'auto_from',
    (value) => value === 'auto_from',
    'phones are not asked for the password of their own domain',
  ],
  ['inbound-reg-force-matching-username', 'true', isTrue, 'phones may register under the name of another account'],
  ['sip-force-expires-max', '3600', (value) => Number(value) > 0, 'a registration may last for ever'],
  ['manage-presence', 'false', isNotTrue, 'a call gets its presence id from a header that the phone chooses'],
  ['manual-redirect', 'true', isTrue, 'a phone can make the engine call any address by a redirection (3xx)'],
  ['enable-chat', 'false', isNotTrue, 'a phone can make the engine pass messages on to any address'],
]

/** Returns what is wrong with the SIP profiles at which phones register. */
export function findingsOfSip(sofia: Element | undefined): Finding[] {
  const profiles = sofia?.child('profiles').children('profile') ?? []
  const ofPhones = profiles.filter((profile) => !isTrue(profile.child('settings').parameters.get('disable-register')))
  if (ofPhones.length === 0) {
    const problem = 'there is no SIP profile at which phones could register'
    return [{ file: 'sip.xml (sofia.conf.xml)', problem, line: 'the profile "phones" of the engine kit' }]
  }
  return ofPhones.flatMap((profile) =>
    findingsOfProfile(profile.attribute('name'), profile.child('settings').parameters),
  )
}

function findingsOfProfile(name: string, settings: Parameters): Finding[] {
  const file = `sip.xml (sofia.conf.xml), profile ${name}`
  if (name === 'external' && !isTrue(settings.get('auth-calls'))) {
    // The profile of carriers, who answer no challenge: its calls are judged by their address.
    const problem = 'phones may register at the profile of carriers, where no call is authenticated'
    return [{ file, problem, line: paramLine('disable-register', 'true') }]
  }
  const wrong = profileRules.flatMap(([setting, wanted, isRight, why]): Finding[] =>
    isRight(settings.get(setting) ?? '') ? [] : [{ file, problem: why, line: paramLine(setting, wanted) }],
  )
  const forced = ['force-register-domain', 'force-register-db-domain'].filter((setting) => settings.has(setting))
  return [
    ...wrong,
    ...forced.map((setting) => ({
      file,
      problem: `${setting} makes one tenant of all domains`,
      line: `no line ${setting}`,
    })),
  ]
}

function isNotTrue(value: string | undefined): boolean {
  return !isTrue(value)
}
