/** A delivery of a hook, as its receiver got it. */
export interface Delivery {
  /** `Headers`, or an object whose names are in lower case, as Node gives them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body exactly as it came; the empty text of a request without one. */
  readonly body: string | Uint8Array
}

/** The secrets of a hook, and the clock that judges the age of a delivery. */
export interface VerifyOptions {
  /** One secret (`whsec_…`), or both secrets while a rotation is under way. */
  readonly secret: string | readonly string[]
  /** The greatest difference between the sender's clock and this one; 300 s by default. */
  readonly toleranceSeconds?: number
  /** The time now, in epoch milliseconds. */
  readonly now?: number
}

const encoder = new TextEncoder()

/**
 * Returns whether a delivery was signed with a secret of the hook and is recent. Compare `webhook-id` with those that
 * you have seen: a delivery may arrive more than once.
 */
export async function verifyDelivery({ headers, body }: Delivery, options: VerifyOptions): Promise<boolean> {
  const { secret, toleranceSeconds = 300, now = Date.now() } = options
  const header = (name: string) => textOf(headers instanceof Headers ? headers.get(name) : headers[name])
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header)
  if (!id || !timestamp || !signatures || !/^\d{1,15}$/.test(timestamp)) return false
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), typeof body === 'string' ? encoder.encode(body) : body)
  const given = signatures
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => bytesOf(each.slice('v1,'.length)))
  let isSigned = false
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey('raw', keyOf(each), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of given) {
      // WebCrypto compares in constant time. Each signature is compared, whatever the others gave.
      if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed))) isSigned = true
    }
  }
  return isSigned
}

type Bytes = Uint8Array<ArrayBuffer>

function textOf(value: string | readonly string[] | null | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function keyOf(secret: string): Bytes {
  const key = bytesOf(secret.replace(/^whsec_/, ''))
  if (key === undefined || key.length === 0) throw new TypeError('the secret of a hook must be whsec_ and base64')
  return key
}

function bytesOf(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Bytes {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}
