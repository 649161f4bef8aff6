import { contactUri } from '../phones/registration.ts'
import type { Engine } from '../calls/engine.ts'
import { hostName } from '../events/event-bus.ts'
import { statusText } from './system.ts'

type Row = Readonly<Record<string, string>>

const usage =
  '-USAGE: codec|endpoint|application|api|dialplan|file|timer|calls [count]|channels [count|like <match string>]|calls|detailed_calls|bridged_calls|detailed_bridged_calls|aliases|complete|chat|management|modules|nat_map|say|interfaces|interface_types|tasks|limits|status\n'

/** `show channels|registrations|status`, plain or `as json|xml|delim`. Other lists are not simulated. */
export function show(engine: Engine, argument: string): string {
  const given = argument.split(/\s+/).filter((word) => word !== '')
  const formatAt = given.indexOf('as')
  const [format = '', delimiter = ','] = formatAt < 0 ? [] : given.slice(formatAt + 1)
  const [list, option, pattern = ''] = formatAt < 0 ? given : given.slice(0, formatAt)
  if (list === 'status') return statusText(engine)
  if (list !== 'channels' && list !== 'registrations') return usage
  if (!['', 'json', 'xml', 'delim'].includes(format)) return `-ERR Cannot find format ${format}\n`
  const all = list === 'channels' ? engine.channelTable.rows() : registrationRows(engine)
  if (option === 'count') return countOf(all, format)
  return written(option === 'like' ? all.filter((row) => looksLike(row, pattern)) : all, format, delimiter)
}

function countOf(rows: readonly Row[], format: string): string {
  return format === 'json' ? `{"row_count":${rows.length},"rows":[]}` : `\n${rows.length} total.\n`
}

function written(rows: readonly Row[], format: string, delimiter: string): string {
  const count = rows.length
  if (format === 'json')
    return count === 0 ? '{"row_count": 0}\n' : `{"row_count":${count},"rows":${JSON.stringify(rows)}}`
  if (format === 'xml') return count === 0 ? '<result row_count="0"/>\n' : xml(rows)
  const lines = rows.map((row) => Object.values(row).join(delimiter))
  const head = rows[0] === undefined ? [] : [Object.keys(rows[0]).join(delimiter)]
  return `${[...head, ...lines].map((line) => `${line}\n`).join('')}\n${count} total.\n`
}

function xml(rows: readonly Row[]): string {
  const text = rows.map((row, index) => {
    const cells = Object.entries(row).map(([name, value]) => `    <${name}>${escapeXml(value)}</${name}>\n`)
    return `  <row row_id="${index + 1}">\n${cells.join('')}  </row>\n`
  })
  return `<result row_count="${rows.length}">\n${text.join('')}</result>\n`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** The engine looks for the pattern in uuid, name and caller. */
function looksLike(row: Row, pattern: string): boolean {
  return ['uuid', 'name', 'cid_name', 'cid_num', 'presence_data', 'accountcode'].some((column) =>
    row[column]?.includes(pattern),
  )
}

/** Expiry is shown a minute later than the phone asked for (`api/registrations`). */
function registrationRows(engine: Engine): Row[] {
  return engine.phones.table().map((registration) => ({
    reg_user: registration.login,
    realm: registration.domain,
    token: registration.callId,
    url: `sofia/${registration.profile}/${contactUri(registration)}`,
    expires: `${Math.trunc(registration.expiresAt / 1000) + 60}`,
    network_ip: '127.0.0.1',
    network_port: `${registration.port}`,
    network_proto: 'udp',
    hostname: hostName,
    metadata: '',
  }))
}
