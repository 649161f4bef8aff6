/**
 * The secrets that a test uses, and everything that it logs and stores: when it ends, none may be in the other.
 * Passwords are known by the marker; tokens, signing secrets, second factors and digests are watched for by themselves.
 */
import { formsOf, markedIn } from './secret-forms.ts'

/** Where something is written. The stores hold the digests that phones log in by; a log may not. */
type Where = 'log' | 'store'

/** A UUID where a token is expected is a key; shorter texts are found in anything. */
const isSecret = (text: string) => text.length >= 16 && !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

/** Fields whose text is a secret, and such that hold a digest. */
const secretField = /^(?:token|secret|secrets|x-access-token)$/i
const digestField = /^a1-?hash$/i

/** A test that makes platforms by the hundred has its first secrets watched for, in the newest of what it wrote. */
const [mostSecrets, mostWritten] = [40, 20]

const secrets: Readonly<Record<Where, Set<string>>> = { log: new Set(), store: new Set() }
const written: { readonly where: Where; readonly read: () => string }[] = []

/** Watches for the secrets in a request or an answer: texts in the fields of secrets, at any depth. */
export function watchSecretsIn(value: unknown, secretIn: readonly Where[] = []): void {
  if (typeof value === 'string' && isSecret(value)) {
    for (const where of secretIn) if (secrets[where].size < mostSecrets) secrets[where].add(value)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) watchSecretsIn(member, fieldOf(name) ?? secretIn)
  }
}

function fieldOf(name: string): readonly Where[] | undefined {
  if (secretField.test(name)) return ['log', 'store']
  return digestField.test(name) ? ['log'] : undefined
}

/** Registers something that the test writes, to be read when it ends. */
export function watchWritten(where: Where, read: () => string): void {
  written.push({ where, read })
  if (written.length > mostWritten) written.shift()
}

/** Returns the written texts that contain the marker or a watched secret, and stops watching. */
export function shownSecrets(): readonly string[] {
  const texts = written.map(({ where, read }) => ({ where, text: Buffer.from(read()).toString('latin1') }))
  const shown: string[] = []
  for (const where of ['log', 'store'] as const) {
    const there = texts.filter((each) => each.where === where && each.text !== '')
    // The forms of a secret are many, and most tests write nothing.
    const forms = there.length === 0 ? [] : formsIn(where)
    for (const { text } of there) {
      for (const found of [markedIn(text), forms.filter((form) => text.includes(form))].flat()) {
        shown.push(`${where}: ${found}`)
      }
    }
  }
  secrets.log.clear()
  secrets.store.clear()
  written.length = 0
  return shown
}

function formsIn(where: Where): string[] {
  return [...secrets[where]].flatMap((secret) => formsOf(secret))
}
