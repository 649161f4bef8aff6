import { numbersOf, withNumbers } from './account-numbers.ts'
import { type AccountRecord, DocumentError } from './model.ts'
import { comparable } from './secrets.ts'
import type { StepOf } from './steps.ts'

type Accounts = Readonly<Record<string, AccountRecord>>
type AccountStep = StepOf<'account'>

const contactParameter = 'cc-agent-contact'

/**
 * Returns the steps from some accounts to others, such that each is possible when its turn comes: removals, then
 * accounts that give up numbers which others get, then additions, then changes. An account whose contact does not exist
 * yet gets it in a step of its own. Throws a {@link DocumentError} for numbers that cannot be moved.
 */
export function accountSteps(before: Accounts, after: Accounts): AccountStep[] {
  const target = new Map(Object.entries(after).map(([login, account]) => [login.toLowerCase(), { login, account }]))
  const stored = new Map(Object.entries(before).map(([login, account]) => [login.toLowerCase(), { login, account }]))
  const removed = [...stored]
    .filter(([id]) => !target.has(id))
    .map(([, { login, account }]) => step(login, account, null))
  const staying = new Map([...stored].filter(([id]) => target.has(id)))
  const releases = releasesFor(staying, target)
  const released = new Map(releases.map(({ name, after: state }) => [name.toLowerCase(), state]))
  const known = new Set(staying.keys())
  const added = [...target].filter(([id]) => !stored.has(id)).map(([, each]) => each)
  const additions = added.flatMap(({ login, account }) => addition(login, account, known))
  const changed = [...staying].flatMap(([id, { login, account }]): AccountStep[] => {
    const wanted = target.get(id)?.account ?? account
    const now = released.get(id) ?? account
    return comparable('account', now) === comparable('account', wanted) ? [] : [step(login, now, wanted)]
  })
  return [
    ...removed,
    ...releases,
    ...additions.filter(isFirst),
    ...additions.filter((each) => !isFirst(each)),
    ...changed,
  ]
}

interface Named {
  readonly login: string
  readonly account: AccountRecord
}

const isFirst = ({ before }: AccountStep) => before === null

function step(name: string, before: AccountRecord | null, after: AccountRecord | null): AccountStep {
  return { kind: 'account', name, before, after }
}

/** Adds an account, at first without a contact that is not there yet. */
function addition(login: string, account: AccountRecord, known: Set<string>): AccountStep[] {
  known.add(login.toLowerCase())
  const contact = /^user\/([^@]+)@/.exec(account.parameters[contactParameter] ?? '')?.[1]
  if (contact === undefined || known.has(contact.toLowerCase())) return [step(login, null, account)]
  const { [contactParameter]: _contact, ...parameters } = account.parameters
  const first = { ...account, parameters }
  return [step(login, null, first), step(login, first, account)]
}

function releasesFor(staying: ReadonlyMap<string, Named>, target: ReadonlyMap<string, Named>): AccountStep[] {
  const holders = new Map(
    [...staying].flatMap(([id, { login, account }]) => numbersOf(login, account).map((n) => [n, id])),
  )
  const wanted = new Map(
    [...target].flatMap(([id, { login, account }]) => numbersOf(login, account).map((n) => [n, id])),
  )
  return [...staying].flatMap(([id, { login, account }]): AccountStep[] => {
    const numbers = numbersOf(login, account)
    const left = numbers.filter((number) => (wanted.get(number) ?? id) === id)
    if (left.length === numbers.length) return []
    const isTaken = [holders.get(login), wanted.get(login)].some((holder) => holder !== undefined && holder !== id)
    if (left.length === 0 && isTaken) {
      throw new DocumentError(
        `accounts.${login}: all of its numbers go to others while its login is the number of another account; give it a further number first, in a document of its own`,
      )
    }
    return [step(login, account, withNumbers(account, left))]
  })
}
