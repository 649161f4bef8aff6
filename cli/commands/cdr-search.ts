import { type Command, Option } from 'commander'
import { timeInPast } from '../input/values.ts'

/** The options that choose call records. */
export interface SearchOptions {
  readonly from?: number
  readonly to?: number
  readonly leg: 'a' | 'b' | '*'
}

/** Adds the options of a search to a command. */
export function searchOptions(command: Command): Command {
  return command
    .option('--from <time>', 'the beginning: a time, or a span before now such as 7d (default: 31d)', timeInPast)
    .option('--to <time>', 'the end (default: now)', timeInPast)
    .addOption(new Option('--leg <leg>', 'the side of the calls').choices(['a', 'b', '*']).default('a'))
}

/** Returns the body of a search for records that a query in the platform's language finds; without one, all. */
export function searchBody(query: string | undefined, { from, to }: SearchOptions) {
  const range = { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lte: to }) }
  const hasRange = from !== undefined || to !== undefined
  return { query: query ?? '*', ...(hasRange ? { filter: [{ range: { created_time: range } }] } : {}) }
}
