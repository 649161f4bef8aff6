import type { Engine } from '../calls/engine.ts'
import { hostName } from '../events/event-bus.ts'
import { percentEncode } from '../socket/percent-encode.ts'
import { maxChannels } from '../calls/engine.ts'

/** `status`: the engine's eight lines. Figures of load are constants, as nothing is measured here. */
export function statusText(engine: Engine): string {
  const { sinceStartup, peak } = engine.sessions
  const lines = [
    `UP ${uptime(engine)}`,
    'FreeSWITCH (Version 1.11.1-release  64bit) is ready',
    `${sinceStartup} session(s) since startup`,
    `${engine.channels.size} session(s) - peak ${peak}, last 5min ${peak} `,
    `0 session(s) per Sec out of max 500, peak ${peak}, last 5min ${peak} `,
    `${maxChannels} session(s) max`,
    'min idle cpu 0.00/99.00',
    'Current Stack Size/Max 240K/8192K',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Returns the time since the engine's start, as the engine words it. */
export function uptime(engine: Engine): string {
  const ms = engine.timers.now() - engine.startedAt
  const part = (unit: number, most: number) => Math.trunc(ms / unit) % most
  return (
    `0 years, ${part(86_400_000, 365)} days, ${part(3_600_000, 24)} hours, ${part(60_000, 60)} minutes, ` +
    `${part(1000, 60)} seconds, ${part(1, 1000)} milliseconds, 0 microseconds`
  )
}

/** `version [short]`. */
export function version(argument: string): string {
  return argument.trim() === 'short' ? '1.11.1-release\n' : 'FreeSWITCH Version 1.11.1-release~64bit ( 64bit)\n'
}

/** `global_getvar [name]`. */
export function getGlobal(engine: Engine, name: string): string {
  if (name !== '') return engine.globals.get(name) ?? ''
  return [...engine.globals].map(([key, value]) => `${key}=${value}\n`).join('')
}

/** `global_setvar name=value`. */
export function setGlobal(engine: Engine, argument: string): string {
  const [, name = '', value = ''] = /^([^=]+)=?(.*)$/s.exec(argument) ?? []
  if (name === '') return '-USAGE: <var>=<value> [=<value2>]\n'
  if (value === '') engine.globals.delete(name)
  else engine.globals.set(name, value)
  return '+OK'
}

/** `log <level> <text>`: writes a line that log listeners hear. */
export function writeLog(engine: Engine, argument: string): string {
  const [, levelName = '', text = ''] = /^(\S+) ?(.*)$/s.exec(argument) ?? []
  const level = ['console', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'].indexOf(levelName)
  engine.log({
    level: level < 0 ? 7 : level,
    levelName: levelName.toUpperCase(),
    textChannel: 3,
    place: ['mod_commands.c', 'log_function', 7227],
    text,
  })
  return '+OK\n'
}

/** `reloadxml`. */
export function reloadXml(engine: Engine): string {
  engine.events.fire({ name: 'RELOADXML', place: ['switch_xml.c', 'switch_xml_open_root', 2421] })
  engine.log({
    level: 6,
    levelName: 'INFO',
    textChannel: 0,
    place: ['switch_time.c', 'switch_load_timezones', 1436],
    text: 'Timezone reloaded 1 definitions',
  })
  return '+OK [Success]\n'
}

/** Runs `msleep <ms>`: waits that many milliseconds. */
export function sleep(engine: Engine, argument: string): Promise<string> {
  return new Promise((resolve) => engine.timers.after(Math.min(Number(argument) || 0, 60_000), () => resolve('+OK')))
}

/**
 * `xml_flush_cache [id <login> <domain>]`: the engine forgets one user, or with fewer than two arguments all of them.
 * The simulated phone of a named user follows: it registers when the user exists, and unregisters when not.
 */
export function flushCache(engine: Engine, argument: string): string {
  const [kind, login, domain = ''] = argument.split(/\s+/).filter((word) => word !== '')
  const user = kind === 'id' && login !== undefined ? { login, domain } : undefined
  const entries = login === undefined || user !== undefined ? engine.directory.flush(user) : 0
  if (user !== undefined) void engine.phones.follow(user.login, user.domain)
  return `+OK cleared ${entries} entr${entries === 1 ? 'y' : 'ies'}\n`
}

/** `url_encode <text>`. */
export function urlEncode(argument: string): string {
  return percentEncode(argument)
}

/** Returns the names that the engine goes by. */
export function hostname(): string {
  return hostName
}
