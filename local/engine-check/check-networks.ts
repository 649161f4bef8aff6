import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AskEngine, Finding } from './check-engine.ts'
import { type Element, type Parameters, isTrue, paramLine } from './engine-configuration.ts'

const unreachable = new Set(['private', 'carrierGradeNat', 'linkLocal', 'loopback', 'uniqueLocal'])

/**
 * Finds what keeps phones and carriers of other networks, or their media, away from SIP profiles: external addresses,
 * routers and certificates. It only reads.
 */
export async function findingsOfNetworks(ask: AskEngine, profiles: readonly Element[]): Promise<Finding[]> {
  const found: Finding[] = []
  for (const profile of profiles) {
    const settings = profile.child('settings').parameters
    const file = `sip.xml (sofia.conf.xml), profile ${profile.attribute('name')}`
    found.push(...findingsOfAddress(file, settings), ...findingsOfRouters(file, settings))
    found.push(...(await findingsOfCertificate(ask, file, settings)))
  }
  return found
}

/** An external address must be one that others reach. By default the kit has the profile's own there. */
function findingsOfAddress(file: string, settings: Parameters): Finding[] {
  const [sip, rtp] = ['ext-sip-ip', 'ext-rtp-ip'].map((name) => (settings.get(name) ?? '').replace(/^autonat:/i, ''))
  if (sip === undefined || rtp === undefined) return []
  const wanted = paramLine('ext-rtp-ip', 'autonat:<the public address>')
  if ((sip === '') !== (rtp === '')) {
    const problem = 'only one of ext-sip-ip and ext-rtp-ip is set: other networks are told two addresses'
    return [{ file, problem, line: paramLine(sip === '' ? 'ext-sip-ip' : 'ext-rtp-ip', sip === '' ? rtp : sip) }]
  }
  if (rtp === '' || rtp === settings.get('sip-ip') || /^auto(?:-nat)?$/i.test(rtp)) return []
  if (isIP(rtp) === 0) return [{ file, problem: `the external address ${rtp} is no address`, line: wanted }]
  if (!unreachable.has(ipaddr.parse(rtp).range())) return []
  return [
    {
      file,
      problem: `the external address ${rtp} is a private one: other networks send their sound nowhere`,
      line: wanted,
    },
  ]
}

function findingsOfRouters(file: string, settings: Parameters): Finding[] {
  if (isTrue(settings.get('disable-register')) || !isTrue(settings.get('auth-calls'))) return []
  const found: Finding[] = []
  if (
    !['nat-options-ping', 'all-reg-options-ping'].some(
      (name) => /^udp-only$/i.test(settings.get(name) ?? '') || isTrue(settings.get(name)),
    )
  ) {
    const problem = 'nothing keeps the way open to phones behind a router: after a minute they cannot be called'
    found.push({ file, problem, line: paramLine('nat-options-ping', 'true') })
  }
  const rport = settings.get('ndlb-force-rport') ?? ''
  if (isTrue(rport) || /^safe$/i.test(rport)) {
    const problem = 'a phone that calls itself Poly chooses where the engine sends its calls'
    found.push({ file, problem, line: 'no line NDLB-force-rport: phones ask for it themselves (rport)' })
  }
  return found
}

/** Without its files the engine makes a certificate that no phone trusts. */
async function findingsOfCertificate(ask: AskEngine, file: string, settings: Parameters): Promise<Finding[]> {
  const needed = [
    ...(isTrue(settings.get('tls')) ? ['tls.pem', 'cafile.pem'] : []),
    ...((settings.get('wss-binding') ?? '') === '' ? [] : ['wss.pem']),
  ]
  const found: Finding[] = []
  const folder = settings.get('tls-cert-dir') ?? (await ask('global_getvar certs_dir')).trim()
  for (const name of needed) {
    const path = `${folder}/${name}`
    const exists = /^\/[A-Za-z0-9._/-]+$/.test(path) && (await ask(`file_exists ${path}`)).trim() === 'true'
    const replaced = name === 'tls.pem' && !exists && (await ask(`file_exists ${folder}/agent.pem`)).trim() === 'true'
    if (exists || replaced) continue
    const problem =
      name === 'cafile.pem'
        ? 'no list of issuers: certificates of carriers cannot be verified'
        : 'there is no certificate'
    found.push({ file, problem: `${problem} (${path})`, line: 'engine/bin/renew-certificate CHAIN KEY puts it there' })
  }
  if ((settings.get('ws-binding') ?? '') !== '') {
    const problem = 'browsers send the digests of passwords, and calls, without TLS'
    found.push({ file, problem, line: `${paramLine('wss-binding', ':7443')} instead of ws-binding` })
  }
  return found
}
