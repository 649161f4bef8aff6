import { describe, expect, it } from 'vitest'
import { parseSubscription, subscriptionSteps } from '../../../packages/esl/subscription.ts'

const steps = (from: string, to: string) =>
  subscriptionSteps(parseSubscription(words(from)), parseSubscription(words(to))).map(
    (step) => `${step.verb} ${step.words.join(' ')}`,
  )

const words = (text: string) => text.split(' ').filter((word) => word !== '')

describe('the way from one subscription to another', () => {
  it.each([
    ['', '', []],
    ['', 'A B CUSTOM c d', ['event A B CUSTOM c d']],
    ['A CUSTOM c', 'A CUSTOM c', []],
    ['A', 'B', ['event B', 'nixevent A']],
    ['CUSTOM c d', 'CUSTOM d e', ['event CUSTOM e', 'nixevent CUSTOM c']],
    ['A CUSTOM c', '', ['nixevent A CUSTOM c']],
    ['A', 'A CUSTOM', ['event CUSTOM']],
  ])('a subscription is changed word by word from "%s" to "%s"', (from, to, expected) => {
    expect(steps(from, to)).toEqual(expected)
  })

  it('a word after CUSTOM in a subscription is a subclass, even if it is the name of an event', () => {
    expect(steps('A CUSTOM B', 'A B CUSTOM')).toEqual(['event B', 'nixevent CUSTOM B'])
  })

  it('no subscription line is longer than an engine accepts, however many subclasses hooks name', () => {
    const subclasses = Array.from({ length: 2_000 }, (_, index) => `${'x'.repeat(200)}::${index}`)
    const made = subscriptionSteps(parseSubscription([]), parseSubscription(['A', 'CUSTOM', ...subclasses]))

    expect(Math.max(...made.map((step) => step.words.join(' ').length))).toBeLessThan(65_536)
    expect(made[0]?.words.slice(0, 2)).toEqual(['A', 'CUSTOM'])
    expect(made.slice(1).every(({ verb, words: [first] }) => verb === 'event' && first === 'CUSTOM')).toBe(true)
    expect(made.flatMap((step) => step.words).filter((word) => word.includes('::'))).toEqual(subclasses)
  })

  it('leaving a subscription of ALL subscribes to everything anew, since the engine then forgets all of it', () => {
    expect(steps('ALL', 'A CUSTOM c')).toEqual(['nixevent ALL', 'event A CUSTOM c'])
    expect(steps('A', 'ALL')).toEqual(['event ALL', 'nixevent A'])
  })
})
