import { expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { proxyJudge } from '../../../adapters/http/sip-targets.ts'
import { aNameServer } from '../../support/hooks/name-server.ts'

const guard = addressGuard('')
const host = 'sip.example.net'
const open = '93.184.216.34'

async function judged(proxy: string, zone: Parameters<typeof aNameServer>[0]) {
  const server = await aNameServer(zone)
  const judge = proxyJudge({ servers: [server.at], hostsFile: '/nowhere' })
  return { isPermitted: await judge(proxy, guard), asked: server.asked, again: () => judge(proxy, guard) }
}

it.each([
  ['an address', open, {}, true],
  ['a private address', '10.0.0.1:5080', {}, false],
  ['a name with public addresses', host, { [host]: [open, '2606:4700::1'] }, true],
  ['a name that does not exist', host, {}, true],
  ['a name with a local address among others', host, { [host]: [open, '127.0.0.1'] }, false],
  ['a name with a private IPv6 address', `${host}:5080`, { [host]: [open, 'fd00::1'] }, false],
  [
    'a name whose server is local',
    host,
    { [host]: [open], [`_sip._udp.${host}`]: ['SRV 5060 in.example.net'], 'in.example.net': ['192.168.1.1'] },
    false,
  ],
  [
    'a name whose server has a port that is refused',
    host,
    { [`_sip._tcp.${host}`]: ['SRV 25 out.example.net'], 'out.example.net': [open] },
    false,
  ],
  [
    'a name whose server is public',
    host,
    { [`_sips._tcp.${host}`]: ['SRV 5061 out.example.net'], 'out.example.net': [open] },
    true,
  ],
  [
    'a name that points at a local server',
    host,
    { [host]: ['NAPTR _x.example.net'], '_x.example.net': ['SRV 5060 in.example.net'], 'in.example.net': ['10.0.0.1'] },
    false,
  ],
  [
    'a name with more servers than are looked up',
    host,
    { [`_sip._udp.${host}`]: Array.from({ length: 30 }, (_, index) => `SRV 5060 s${index}.example.net`) },
    false,
  ],
])('%s is judged by every address that it leads to', async (_what, proxy, zone, isPermitted) => {
  expect(await judged(proxy, zone)).toMatchObject({ isPermitted })
})

it('a name with a port is looked up by its addresses only, and its answer is kept', async () => {
  const { isPermitted, asked, again } = await judged(`${host}:5080`, { [host]: [open] })

  expect([isPermitted, await again()]).toEqual([true, true])
  expect(asked.toSorted()).toEqual([`A ${host}`, `AAAA ${host}`])
})

it('a name whose name servers do not answer in time is not permitted', async () => {
  expect(await judged(`${host}:5080`, { [host]: 'silent' })).toMatchObject({ isPermitted: false })
})
