import type { Channel } from './channel.ts'
import type { Engine } from './engine.ts'

interface Place {
  /** The variable that marks a leg as counted, as in the engine. */
  readonly variable: string
  readonly used: number
  /** The cause for a leg that is too many; `undefined`: there is room. */
  readonly refusal: string | undefined
}

/**
 * Reads the data of `limit` (`hash gateway <name> <most> !<cause>`) and counts. A leg counts until it hangs up; a
 * negative limit refuses none.
 */
export function placeOf(engine: Engine, data: string): Place {
  const [, realm = '', id = '', most = '-1', exceeded = ''] = data.split(' ')
  const variable = `limit_usage_${realm}_${id}`
  const used = [...engine.channels.values()].filter((leg) => leg.up && leg.text(variable) !== '').length
  const isFull = !most.startsWith('-') && used >= Number(most)
  return { variable, used, refusal: isFull ? exceeded.replace(/^!/, '') : undefined }
}

/** Marks a leg as counted. */
export function count(leg: Channel, { variable, used }: Place): void {
  leg.set({ [variable]: `${used + 1}` })
}
