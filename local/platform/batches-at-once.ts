import { queues } from '../../contracts/resources.ts'
import {
  type BatchesAtOnce,
  type EventSourceMapping,
  type LambdaFunction,
  type Queue,
  maxConcurrency,
} from '@callplane/laptop'

/** Batches of queued attempts: an attempt costs six calls around its wait, and many at a time would delay everybody. */
const attemptsConcurrency = 2

/** Those included that wait for a receiver: at most eight batches of ten, for the hundred connections to an origin. */
const attemptsUnderWay = 5

/**
 * Returns how many batches of a queue the function that it calls works on at one time, and how many are under way with
 * those that only wait.
 */
export function batchesAtOnce(
  { maximumConcurrency = maxConcurrency }: Pick<EventSourceMapping, 'maximumConcurrency'>,
  { queue, called }: { readonly queue: Pick<Queue, 'url'>; readonly called: Pick<LambdaFunction, 'environment'> },
): BatchesAtOnce {
  const areAttempts = called.environment[queues.deliveries.variable] === queue.url
  return {
    concurrency: Math.min(maximumConcurrency, areAttempts ? attemptsConcurrency : maxConcurrency),
    most: Math.min(maximumConcurrency, areAttempts ? attemptsUnderWay : maximumConcurrency),
  }
}
