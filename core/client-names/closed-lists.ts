import {
  cdrRetentionDays,
  cdrRetentionParameter,
  erasureParameter,
  isCdrRetention,
  isRetention,
  numberList,
  numberParameters,
  ownNumbers,
  retentionDays,
  retentionParameter,
  trustedCallerIds,
} from './domain-parameters.ts'
import {
  type ValueRule,
  agentContact,
  agentType,
  anyText,
  audioEnding,
  blacklistName,
  codecs,
  digits,
  groups,
  language,
  mailbox,
  nationalPrefix,
  ownText,
  pin,
  prefixDigits,
  shownName,
  shownNumber,
  timeZone,
  trueOrFalse,
} from './value-rules.ts'

/**
 * The places in which a client gives values to names. Each place has a closed list of names, because the engine gives a
 * meaning to more than a thousand of them: some run commands, some choose the dial plan. A caller who may change
 * accounts sets `trustedCallVariables` on the calls that it originates, any other caller `callVariables`.
 */
export type NameLocation =
  | 'accountParameters'
  | 'accountVariables'
  | 'domainParameters'
  | 'domainVariables'
  | 'callVariables'
  | 'trustedCallVariables'
  | 'stepVariables'
  | 'bridgeVariables'
  | 'profileVariables'

type Names = Readonly<Record<string, ValueRule>>

const domainParameters: Names = {
  'vm-password': pin,
  'vm-enabled': trueOrFalse,
  'vm-attach-file': trueOrFalse,
  'vm-email-all-messages': trueOrFalse,
  'vm-notify-email-all-messages': trueOrFalse,
  'vm-keep-local-after-email': trueOrFalse,
  'vm-skip-instructions': trueOrFalse,
  'vm-mailto': mailbox,
  'vm-notify-mailto': mailbox,
  'vm-disk-quota': digits,
  'vm-alternate-greet-id': digits,
  'vm-message-ext': audioEnding,
}

/** The values of the first three have rules of their own: see account-change.ts. */
const accountParameters: Names = {
  password: anyText,
  role: anyText,
  'svc-extensions': anyText,
  ...domainParameters,
  'cc-agent': trueOrFalse,
  'cc-agent-type': agentType,
  'cc-agent-contact': agentContact,
  'cc-agent-max-no-answer': digits,
}

const freeCallVariables: Names = { call_timeout: digits, default_language: language, timezone: timeZone }

/** The free names, and those that only callers who may change accounts may set on calls. */
export const trustedCallVariables: Names = {
  ...freeCallVariables,
  effective_caller_id_name: shownName,
  outbound_caller_id_name: shownName,
  effective_caller_id_number: shownNumber,
  outbound_caller_id_number: shownNumber,
  callgroup: groups,
  toll_allow: groups,
}

const stepVariables: Names = {
  ...trustedCallVariables,
  default_areacode: digits,
  directory_full_name: shownName,
}

/** The list of one place, and the additions that clients and operators may make. */
export interface Location {
  readonly names: Names
  /** Names for the client's own use with their possible values; absent if there are none. */
  readonly own?: { readonly prefix: RegExp; readonly values: ValueRule }
  readonly takesAdded: boolean
}

const ownVariables = { prefix: /^x[_-][A-Za-z0-9_-]{0,62}$/, values: ownText } as const
/** Parameters for the client's own use: stored and shown, never served to the engine. */
export const ownParameters = { prefix: /^x-[A-Za-z0-9_-]{0,62}$/, values: anyText } as const

/** The closed lists. */
export const places: Readonly<Record<NameLocation, Location>> = {
  accountParameters: { names: accountParameters, own: ownParameters, takesAdded: false },
  accountVariables: { names: { ...stepVariables, account_role: anyText }, own: ownVariables, takesAdded: true },
  domainParameters: {
    names: {
      ...domainParameters,
      [retentionParameter]: {
        words: `a number of days from ${retentionDays.least} to ${retentionDays.most}`,
        accepts: isRetention,
      },
      [cdrRetentionParameter]: {
        words: `a number of days from ${cdrRetentionDays.least} to ${cdrRetentionDays.most}`,
        accepts: isCdrRetention,
      },
      [erasureParameter]: { words: '`root`', accepts: (value) => value === 'root' },
      [trustedCallerIds]: trueOrFalse,
      [ownNumbers]: numberList,
      [numberParameters.country]: prefixDigits,
      [numberParameters.international]: prefixDigits,
      [numberParameters.national]: nationalPrefix,
    },
    own: ownParameters,
    takesAdded: false,
  },
  domainVariables: {
    names: { ...stepVariables, default_blacklist: blacklistName },
    own: ownVariables,
    takesAdded: true,
  },
  callVariables: { names: freeCallVariables, own: ownVariables, takesAdded: false },
  trustedCallVariables: { names: trustedCallVariables, own: ownVariables, takesAdded: true },
  stepVariables: { names: stepVariables, own: ownVariables, takesAdded: true },
  bridgeVariables: {
    names: {
      ...stepVariables,
      ignore_early_media: trueOrFalse,
      bridge_early_media: trueOrFalse,
      hangup_after_bridge: trueOrFalse,
      continue_on_fail: trueOrFalse,
      absolute_codec_string: codecs,
    },
    own: ownVariables,
    takesAdded: true,
  },
  profileVariables: {
    names: {
      caller_id_name: shownName,
      caller_id_number: shownNumber,
      callee_id_name: shownName,
      callee_id_number: shownNumber,
      ani: shownNumber,
      rdnis: shownNumber,
    },
    takesAdded: false,
  },
}
