import { numberParameters, parametersOfRoot, retentionParameter } from './domain-parameters.ts'
import { type NameLocation, ownParameters, places, trustedCallVariables } from './closed-lists.ts'
import type { ValueRule } from './value-rules.ts'

/** Names of variables that the operator adds to the closed lists, each with a test of its values. */
export type ClientVariables = ReadonlyMap<string, (value: string) => boolean>

/**
 * Settings of the service itself: it acts on them, or stores them in fields of their own, and the engine is never
 * served them. An engine that is served a password uses it instead of the digest. One that is served the mail settings
 * of a mailbox would delete the message that it cannot mail, and one without mod_shout records no mp3.
 */
const ofService: ReadonlySet<string> = new Set([
  retentionParameter,
  ...parametersOfRoot,
  ...Object.values(numberParameters),
  'default_blacklist',
  'password',
  'role',
  'svc-extensions',
  'vm-password',
  'vm-mailto',
  'vm-attach-file',
  'vm-email-all-messages',
  'vm-keep-local-after-email',
  'vm-notify-mailto',
  'vm-notify-email-all-messages',
  'vm-message-ext',
])

const noneAdded: ClientVariables = new Map()

/** Returns whether clients may set a variable of this name on accounts without the operator's addition. */
export function isClientVariable(name: string): boolean {
  return ruleOf('accountVariables', name, noneAdded) !== undefined
}

/** The context in which a name is judged, in addition to its place. */
export interface NameContext {
  /** Lower-cased; decides over contacts of agents. */
  readonly domain?: string | undefined
  readonly added: ClientVariables
}

/**
 * Returns why clients may not set a name in a place, and the way out; `undefined` for an allowed name. The text does
 * not repeat the name: people send passwords in the wrong places.
 */
export function nameProblem(place: NameLocation, name: string, { added }: NameContext): string | undefined {
  const { names, own, takesAdded } = places[place]
  if (ruleOf(place, name, added) !== undefined) return undefined
  if (place === 'callVariables' && Object.hasOwn(trustedCallVariables, name)) {
    return 'may be set only by callers who may change accounts (permission account u): leave it out'
  }
  const wayOut =
    own === undefined
      ? 'leave it out'
      : `use one of them, or a name of your own that begins with ${own === ownParameters ? 'x-' : 'x_'}`
  const operator = takesAdded ? ', or ask the operator to add it (setting clientVariables)' : ''
  return `is not a name that clients may set here (they are ${Object.keys(names).join(', ')}): ${wayOut}${operator}`
}

/** Returns why a name may not be set to a value, and the way out; `undefined` for an allowed value. */
export function assignmentProblem(
  place: NameLocation,
  name: string,
  value: string,
  context: NameContext,
): string | undefined {
  const rule = ruleOf(place, name, context.added)
  if (rule === undefined) return nameProblem(place, name, context)
  // The engine expands `${…}` and `$${…}`, and its XML reader obeys lines that hold the other word.
  if (value.includes('${')) return 'must not contain "${", which the engine expands'
  if (isPreprocessed(value)) return 'must not contain "x-pre-process", which the engine gives a meaning to'
  // XML 1.0 cannot hold these.
  if (/[\ufffe\uffff]/.test(value)) return 'must not contain the non-characters U+FFFE and U+FFFF'
  return rule.accepts(value, context.domain ?? '') ? undefined : `must be ${rule.words}`
}

/**
 * Returns the settings that the engine is served, and the names of ignored ones, which the closed list no longer
 * allows. Settings for the client's own use are in neither.
 */
export function servedSettings(
  place: NameLocation,
  settings: Readonly<Record<string, string>>,
  context: NameContext,
): { readonly served: Record<string, string>; readonly ignored: readonly string[] } {
  const entries = Object.entries(settings)
  const isAllowed = ([name, value]: [string, string]) => assignmentProblem(place, name, value, context) === undefined
  const isServed = ([name]: [string, string]) =>
    !ofService.has(name) && !(places[place].own === ownParameters && ownParameters.prefix.test(name))
  return {
    served: Object.fromEntries(entries.filter((entry) => isAllowed(entry) && isServed(entry))),
    ignored: entries.filter((entry) => !isAllowed(entry)).map(([name]) => name),
  }
}

function ruleOf(place: NameLocation, name: string, added: ClientVariables): ValueRule | undefined {
  const { names, own, takesAdded } = places[place]
  if (Object.hasOwn(names, name)) return names[name]
  if (own?.prefix.test(name)) return isPreprocessed(name) ? undefined : own.values
  const accepts = takesAdded ? added.get(name) : undefined
  return accepts && { words: 'a value that the operator allows (setting clientVariables)', accepts }
}

function isPreprocessed(text: string): boolean {
  return /x-pre-process/i.test(text)
}
