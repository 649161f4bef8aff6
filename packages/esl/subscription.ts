/** A listener's subscription: names of events, and subclasses of CUSTOM. */
export interface Subscription {
  readonly names: ReadonlySet<string>
  readonly subclasses: ReadonlySet<string>
}

/** Reads the words after `event json`: every word after CUSTOM is a subclass, whatever it looks like. */
export function parseSubscription(words: readonly string[]): Subscription {
  const custom = words.indexOf('CUSTOM')
  if (custom < 0) return { names: new Set(words), subclasses: new Set() }
  return { names: new Set(words.slice(0, custom + 1)), subclasses: new Set(words.slice(custom + 1)) }
}

/** One step from one subscription to another: a command and its words. */
export interface SubscriptionStep {
  readonly verb: 'event' | 'nixevent'
  readonly words: readonly string[]
}

/** Bytes of words in one command; an engine was seen to take a line of 200,000, and subscriptions may be longer. */
const MAX_WORDS_BYTES = 32 * 1024

/**
 * Returns the commands that lead from one subscription to another, new ones first, so that what is kept is never
 * missing. Leaving ALL is the exception: the engine forgets every subscription with it. None is longer than an engine
 * takes.
 */
export function subscriptionSteps(from: Subscription, to: Subscription): SubscriptionStep[] {
  if (from.names.has('ALL') && !to.names.has('ALL')) {
    return [{ verb: 'nixevent', words: ['ALL'] }, ...stepsOf('event', to)]
  }
  return [...stepsOf('event', without(to, from)), ...stepsOf('nixevent', without(from, to))]
}

function without(all: Subscription, some: Subscription): Subscription {
  return {
    names: new Set([...all.names].filter((name) => !some.names.has(name))),
    subclasses: new Set([...all.subclasses].filter((subclass) => !some.subclasses.has(subclass))),
  }
}

/** The words of a subscription, CUSTOM and its subclasses last, in as few commands as they fit into. */
function stepsOf(verb: SubscriptionStep['verb'], { names, subclasses }: Subscription): SubscriptionStep[] {
  const events = cut([...names].filter((name) => name !== 'CUSTOM'))
  const [first = [], ...others] = cut([...subclasses])
  const last = names.has('CUSTOM') || first.length > 0 ? ['CUSTOM', ...first] : []
  const lists = [
    ...events.slice(0, -1),
    [...(events.at(-1) ?? []), ...last],
    ...others.map((more) => ['CUSTOM'].concat(more)),
  ]
  return lists.filter((words) => words.length > 0).map((words) => ({ verb, words }))
}

function cut(words: readonly string[]): string[][] {
  const lists: string[][] = []
  let room = 0
  for (const word of words) {
    const bytes = Buffer.byteLength(word) + 1
    if (bytes > room) {
      lists.push([])
      room = MAX_WORDS_BYTES / 2
    }
    lists.at(-1)?.push(word)
    room -= bytes
  }
  return lists
}
