import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { CliError, exitCodes } from '../failure/exit.ts'

/** The largest file that a command reads, bytes. */
const largest = 16 * 1024 * 1024

/** Returns a reader of whole numbers from `least` to `most`, for an option. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}

/** Adds a value to those that an option was given before. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** A date as ISO 8601 writes it, with or without a time. `Date.parse` alone would take `7` for July 2001. */
const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]|$)/

/** Reads a time for an option, ISO 8601. Returns epoch milliseconds. */
export function isoTime(text: string): number {
  const time = parseTime(text)
  if (time !== undefined) return time
  throw new InvalidArgumentError('It must be a time such as 2026-12-31T12:00Z.')
}

function parseTime(text: string): number | undefined {
  const time = isoDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a time for an option: ISO 8601, or a span before now such as `90m` or `7d`. Returns epoch milliseconds. */
export function timeInPast(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== '') return Date.now() - Number(count) * (unitMs[unit] ?? 0)
  const time = parseTime(text)
  if (time !== undefined) return time
  throw new InvalidArgumentError(
    'It must be a time such as 2026-01-31T12:00Z, or a span before now such as 90m, 12h or 7d.',
  )
}

/**
 * Returns the content of a file, without its byte order mark; of standard input for `-`. Throws with the path where it
 * cannot be read, is too large, or is not UTF-8.
 */
export function readText(path: string): string {
  try {
    const bytes = readFileSync(path === '-' ? 0 : path)
    if (bytes.length > largest)
      throw new CliError(`${path} has more than ${largest / 1024 / 1024} MiB`, exitCodes.usage)
    return utf8Text(bytes, path)
  } catch (error) {
    if (error instanceof CliError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError(`${path} cannot be read: ${reason}`, exitCodes.usage, error)
  }
}

function utf8Text(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const lines = new TextDecoder().decode(bytes).split('\n')
    const line = lines.findIndex((text) => text.includes('\ufffd')) + 1
    throw new CliError(`${path} is not UTF-8, see line ${line}: save it as UTF-8`, exitCodes.usage, error)
  }
}

/** Returns the JSON object of a file, or of standard input for `-`. The platform checks its fields. */
export function readObject(path: string): Readonly<Record<string, unknown>> {
  const text = readText(path)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {}
  throw new CliError(`${path === '-' ? 'standard input' : path} must be a JSON object`, exitCodes.usage)
}
