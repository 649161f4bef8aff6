import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'

const publicOnly = addressGuard('')

describe('addresses that are not of the public internet are refused', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.255',
    '168.63.129.16',
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::169.254.169.254',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
  ])('the non-public address %s is refused', (address) => {
    expect(publicOnly.permits(address)).toBe(false)
  })
})

describe('public addresses are permitted', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'])(
    '%s',
    (address) => {
      expect(publicOnly.permits(address)).toBe(true)
    },
  )
})

describe('a deployment can open networks', () => {
  const laptop = addressGuard('127.0.0.0/8, ::1/128')

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '8.8.8.8'])(
    'the address %s is permitted in addition to the public internet',
    (address) => {
      expect(laptop.permits(address)).toBe(true)
    },
  )

  it.each(['10.0.0.1', '169.254.169.254', '::2', '::ffff:10.0.0.1'])(
    'the address %s stays refused when other networks are allowed',
    (address) => {
      expect(laptop.permits(address)).toBe(false)
    },
  )

  it.each(['10.1.2.3', 'localhost', '10.1.2.3/33', '10.1.2.0/8;::1/128'])(
    'a list that holds %s is refused at start, without its text in the error',
    (list) => {
      expect(() => addressGuard(list)).toThrow('HOOK_ALLOWED_NETWORKS must be networks in CIDR form')
      expect(() => addressGuard(list)).not.toThrow(list)
    },
  )
})

it('an IPv4 address is refused in every IPv6 form that embeds it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (number) => {
      const high = Math.floor(number / 65_536).toString(16)
      const low = (number % 65_536).toString(16)
      for (const prefix of ['::', '::ffff:', '::ffff:0:', '64:ff9b::']) {
        expect(publicOnly.permits(`${prefix}${high}:${low}`)).toBe(false)
      }
      expect(publicOnly.permits(`2002:${high}:${low}::1`)).toBe(false)
    }),
    { seed: 20_250_101 },
  )
})
