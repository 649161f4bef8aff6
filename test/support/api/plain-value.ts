import type { Route } from '../../../contracts/routes/route.ts'

/** Lists of records are cut to this length: the others look alike. */
const mostItems = 2

/** Fields whose value differs from machine to machine, or is a secret, with the text that stands for it. */
const masked: Readonly<Record<string, string>> = {
  password: '********',
  pass: '********',
  // A token has three parts, the last of 43 characters.
  token: `header.claims.${'secret-'.repeat(6)}s`,
  secret: '********',
  scrollId: '********',
  'a1-hash': '********',
  'jsonrpc-password': '********',
  'vm-password': '********',
}

/** The machine that a status report is about. */
const machine: Readonly<Record<string, unknown>> = {
  rss: 123_456_789,
  heapTotal: 45_678_901,
  heapUsed: 34_567_890,
  processId: 8,
  totalMemory: 1_073_741_824,
  freeMemory: 536_870_912,
  platform: 'linux',
  name: 'Linux',
  architecture: 'arm64',
  nodeVersion: 'v24.9.0',
  processUpTimeSec: 86_400,
}

const ids = [
  { pattern: /\b[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g, stable: uuidOf },
  { pattern: /(?<![\da-f])[\da-f]{24}(?![\da-f])/g, stable: (n: number) => `65a51f${String(n).padStart(18, '0')}` },
  { pattern: /\bmsg_[\da-f]{32}/g, stable: (n: number) => `msg_${String(n).padStart(32, '0')}` },
  { pattern: /\bv1,[\w+/]+={0,2}/g, stable: () => 'v1,********' },
  { pattern: /\bwhsec_[\w+/=-]+/g, stable: () => 'whsec_********' },
  { pattern: /(?<=secret=)[A-Z2-7]+/g, stable: () => '********' },
  { pattern: /(?<=name="(?:a1-hash|password|vm-password|jsonrpc-password)" value=")[^"]*/g, stable: () => '********' },
  // The domain of the demo, so that an example works there.
  { pattern: /(?<![\w.-])example\.com\b/g, stable: () => 'demo.example.com' },
  // Tests recognise their records by these.
  { pattern: /\b(?:x_)?planted\b/g, stable: () => 'department' },
  { pattern: /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)?/g, stable: () => '********' },
] as const

function shortened(list: readonly unknown[]): readonly unknown[] {
  return list.every((item) => typeof item === 'object') ? list.slice(0, mostItems) : list
}

function uuidOf(n: number): string {
  return `6f1c7a1e-6a1e-4b1d-9f0e-${String(n).padStart(12, '0')}`
}

/** Returns a value as it stands in an example: ids numbered, secrets masked, long lists cut. */
export function plainValue(value: unknown, { operationId }: Pick<Route, 'operationId'>): unknown {
  const known = new Map<string, string>()
  const plainText = (text: string): string =>
    ids.reduce(
      (changed, { pattern, stable }) =>
        changed.replaceAll(pattern, (id) => {
          const found = known.get(id) ?? stable(known.size + 1)
          known.set(id, found)
          return found
        }),
      text,
    )
  const plain = (each: unknown, name: string): unknown => {
    if (operationId === 'readStatus' && Object.hasOwn(machine, name)) return machine[name]
    if (typeof each === 'string') return masked[name] ?? plainText(each)
    if (Array.isArray(each)) return shortened(each).map((item) => plain(item, name))
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, member]) => [plainText(key), plain(member, key)]))
  }
  return plain(value, '')
}
