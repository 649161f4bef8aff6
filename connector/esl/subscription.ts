/** What a listener is subscribed to: names of events, and subclasses of CUSTOM. */
export interface Subscription {
  readonly names: ReadonlySet<string>
  readonly subclasses: ReadonlySet<string>
}

/** Reads the words behind `event json`: every word after CUSTOM is a subclass, whatever it looks like. */
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

/**
 * The commands that lead from one subscription to another, new ones first, so that what is kept is never missing.
 * Leaving ALL is the exception: the engine forgets every subscription with it.
 */
export function subscriptionSteps(from: Subscription, to: Subscription): SubscriptionStep[] {
  if (from.names.has('ALL') && !to.names.has('ALL')) {
    const steps: SubscriptionStep[] = [
      { verb: 'nixevent', words: ['ALL'] },
      { verb: 'event', words: wordsOf(to) },
    ]
    return steps.filter(hasWords)
  }
  const steps: SubscriptionStep[] = [
    { verb: 'event', words: wordsOf(without(to, from)) },
    { verb: 'nixevent', words: wordsOf(without(from, to)) },
  ]
  return steps.filter(hasWords)
}

function without(all: Subscription, some: Subscription): Subscription {
  return {
    names: new Set([...all.names].filter((name) => !some.names.has(name))),
    subclasses: new Set([...all.subclasses].filter((subclass) => !some.subclasses.has(subclass))),
  }
}

/** The words of a subscription, CUSTOM and its subclasses last. */
function wordsOf({ names, subclasses }: Subscription): string[] {
  const events = [...names].filter((name) => name !== 'CUSTOM')
  return names.has('CUSTOM') || subclasses.size > 0 ? [...events, 'CUSTOM', ...subclasses] : events
}

function hasWords(step: SubscriptionStep): boolean {
  return step.words.length > 0
}
