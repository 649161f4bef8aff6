/**
 * Networks of the tests' own, as of an engine in a cloud and a phone at home: the engine's machine has a private
 * address and a public one that a router translates, and another router hides the phone behind a public address. Both
 * routers are one namespace here.
 */
import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PhoneOrder } from './phone-process.ts'
import type { SoundPhoneOptions } from './sound-phone.ts'

/** The addresses: the engine's own and its public one, the phone's own and that of its router. */
export const addresses = {
  engine: '10.213.7.5',
  publicEngine: '198.51.100.5',
  phone: '192.168.77.2',
  publicPhone: '203.0.113.2',
} as const

const router = { outside: '10.213.7.1', inside: '192.168.77.1' }
const [routerSpace, phoneSpace] = ['callplane-router', 'callplane-phone']

/**
 * What the router does: no private address leads anywhere, both translations, and nothing comes in that the phone did
 * not ask for.
 */
const rules = `
table ip callplane {
  chain first { type filter hook prerouting priority raw; iifname cp-in ip daddr 10.0.0.0/8 drop; }
  chain before { type nat hook prerouting priority dstnat; ip daddr ${addresses.publicEngine} dnat to ${addresses.engine}; }
  chain after { type nat hook postrouting priority srcnat; ip saddr ${addresses.phone} snat to ${addresses.publicPhone} random; }
  chain through { type filter hook forward priority filter; ct state new ip daddr ${addresses.phone} drop; }
}`

function run(command: string, input = ''): void {
  const [program = '', ...words] = command.split(' ')
  execFileSync(program, words, { input, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** Returns why these networks cannot be made here, or nothing. */
export function networkObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root makes network namespaces'
  const missing = ['ip', 'nft'].find((program) => spawnSync(program, ['-V']).error !== undefined)
  return missing === undefined ? undefined : `the program ${missing} is missing`
}

/** Makes the networks. */
export function makeNetworks(): { remove(): void } {
  const remove = () => {
    for (const space of [routerSpace, phoneSpace]) spawnSync('ip', ['netns', 'del', space])
  }
  remove()
  const inRouter = `ip netns exec ${routerSpace}`
  const inPhone = `ip netns exec ${phoneSpace}`
  for (const command of [
    `ip netns add ${routerSpace}`,
    `ip netns add ${phoneSpace}`,
    `ip link add cp-engine type veth peer name cp-out netns ${routerSpace}`,
    `ip link add cp-in netns ${routerSpace} type veth peer name cp-phone netns ${phoneSpace}`,
    `ip addr add ${addresses.engine}/24 dev cp-engine`,
    'ip link set cp-engine up',
    `${inRouter} ip addr add ${router.outside}/24 dev cp-out`,
    `${inRouter} ip addr add ${addresses.publicPhone}/32 dev lo`,
    `${inRouter} ip addr add ${router.inside}/24 dev cp-in`,
    ...['lo', 'cp-out', 'cp-in'].map((link) => `${inRouter} ip link set ${link} up`),
    `${inRouter} sysctl -qw net.ipv4.ip_forward=1`,
    `${inPhone} ip addr add ${addresses.phone}/24 dev cp-phone`,
    ...['lo', 'cp-phone'].map((link) => `${inPhone} ip link set ${link} up`),
    `${inPhone} ip route add default via ${router.inside}`,
    `ip route add ${addresses.publicPhone} via ${router.outside}`,
    `ip route add ${addresses.phone} via ${router.outside}`,
  ]) {
    run(command)
  }
  run(`${inRouter} nft -f -`, rules)
  return { remove }
}

/** A phone behind the router. */
export interface HiddenPhone {
  order(order: PhoneOrder): Promise<string>
  close(): Promise<void>
}

/** Starts a phone behind the router. */
export async function openHiddenPhone(options: Omit<SoundPhoneOptions, 'ip' | 'engine'>): Promise<HiddenPhone> {
  const words = [JSON.stringify({ ...options, ip: addresses.phone, engine: addresses.publicEngine })]
  const place = { execPath: 'ip', execArgv: ['netns', 'exec', phoneSpace, process.execPath] }
  const child: ChildProcess = fork(join(import.meta.dirname, 'phone-process.ts'), words, place)
  await once(child, 'message')
  return {
    order: async (order) => {
      const answer = once(child, 'message')
      child.send(order)
      const [text] = await answer
      return String(text)
    },
    close: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
