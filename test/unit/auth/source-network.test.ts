import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loginNetwork, sourceNetwork } from '../../../core/auth/source-network.ts'

const group = fc.integer({ min: 0, max: 0xffff })
const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(byte, byte, byte, byte)

/** The same address once in full, in capitals and with leading zeros, and once as short as it goes. */
function spellings(groups: readonly number[]): string[] {
  const full = groups.map((each) => each.toString(16).toUpperCase().padStart(4, '0')).join(':')
  const [short = ''] = /\[(.*)\]/.exec(new URL(`http://[${full}]`).host)?.slice(1) ?? []
  return [full, short, `${short}%eth0`]
}

describe('the network of a source', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
    ['::FFFF:cb00:7109', '203.0.113.9', '203.0.113.0/24'],
    ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:1:2::1', '2001:db8:1:2', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002:3:4:5:6', '2001:db8:1:2', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0', '2001:db8:0:0'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0', '64:ff9b:0:0'],
    ['::1', '0:0:0:0', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0:0'],
    ['', '', ''],
    ['unknown', 'unknown', 'unknown'],
  ])('the source %j counts as %j, and for failed logins as %j', (address, source, login) => {
    expect(sourceNetwork(address)).toBe(source)
    expect(loginNetwork(address)).toBe(login)
  })

  it('all addresses of an IPv6 /64 count as one source network, however written, and no other address does', () => {
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 4, maxLength: 4 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (prefix, host, other) => {
          fc.pre(prefix.some((each) => each !== 0))
          const own = spellings([...prefix, ...host]).map(sourceNetwork)
          expect(new Set([...own, ...spellings([...prefix, ...other]).map(sourceNetwork)]).size).toBe(1)
          const isSame = prefix.every((each, index) => each === other[index])
          expect(sourceNetwork(spellings([...other, ...host])[0] ?? '') === own[0]).toBe(isSame)
        },
      ),
    )
  })

  it('an IPv4 address and the same address mapped into IPv6 count as one source network, in either notation', () => {
    fc.assert(
      fc.property(ipv4, ([a, b, c, d]) => {
        const plain = [a, b, c, d].join('.')
        const mapped = spellings([0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d])
        for (const address of [plain, `::ffff:${plain}`, ...mapped]) {
          expect(sourceNetwork(address)).toBe(plain)
          expect(loginNetwork(address)).toBe(`${a}.${b}.${c}.0/24`)
        }
      }),
    )
  })
})
