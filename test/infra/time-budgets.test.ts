import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hookClientLimits, testClientLimits } from '../../adapters/http/guarded-hook-client.ts'
import { mailLimits } from '../../adapters/mail/guarded-mail-sender.ts'
import { keptUntil } from '../../adapters/retention.ts'
import { completionMs } from '../../adapters/s3/s3-uploads.ts'
import { LONG_POLL_SECONDS, RECEIVE_TIMEOUT_MS } from '../../adapters/sqs/sqs-command-receiver.ts'
import { callGraceMs } from '../../connector/commands/command-dispatch.ts'
import { busyNoticeMs } from '../../connector/commands/command-runner.ts'
import { reliedOnMs, reportLifeMs } from '../../core/connectors/connectors.ts'
import { waitedMs } from '../../connector/commands/lost-claims.ts'
import { reportMs } from '../../connector/health/status-report.ts'
import { deadAfterMs } from '../../connector/recovery/dead-connectors.ts'
import { uploadClaimMs } from '../../core/recordings/upload-recording.ts'
import { handOverMs, stopTimes } from '../../connector/stop-connector.ts'
import { lookUpDialplan } from '../../contracts/routes/engine.ts'
import { buckets, queues } from '../../contracts/resources.ts'
import { failMissingRecordings, removeExpiredRecordings, requeueDeliveries } from '../../contracts/schedules.ts'
import { cleanUpDomain, deliver, hookDispatch, workers, writeExport } from '../../contracts/workers.ts'
import { judgingMs, patience } from '../../core/auth/throttle-login.ts'
import { exportLifeMs } from '../../core/cdr/exports/export-job.ts'
import { searchLimitMs } from '../../core/cdr/search/search-cdrs.ts'
import { searchMs } from '../../core/cdr/exports/write-export.ts'
import { engineWaitMs } from '../../core/channels/engine-reply.ts'
import { listWaitMs } from '../../core/channels/list-channels.ts'
import { risingMs } from '../../core/channels/live-calls.ts'
import { requestMs } from '../../core/domains/cleanup/clean-up-domain.ts'
import { longestRunMs } from '../../core/hooks/delivery/delivery.ts'
import { replayLimits } from '../../core/hooks/delivery/replay-deliveries.ts'
import { againMs } from '../../core/hooks/attempt/direct-attempts.ts'
import { patience as receiverPatience } from '../../core/hooks/attempt/late-receivers.ts'
import { requeueLimits } from '../../core/hooks/delivery/requeue-deliveries.ts'
import { leaseMs as keyLeaseMs } from '../../core/requests/idempotency-key.ts'
import { holdMs } from '../../core/recordings/fail-missing-recordings.ts'
import { requestLimitMs } from '../../functions/endpoint.ts'
import { reserveMs } from '../../functions/endpoint/deadline.ts'
import { leaseMs as placeLeaseMs } from '../../functions/endpoint/steps/requests-at-once.ts'
import { workTimeMs } from '../../functions/work-time.ts'
import { patienceSeconds } from '../../local/connector/connector-process.ts'
import { integrationsOf } from './imported-api.ts'
import { endpointTimeoutSeconds } from '../../lib/stacks/api-stack.ts'
import { usualApp } from './synthesized-app.ts'
import { deadWriterMs } from '../../core/events/event-log-rules.ts'

/**
 * Times that must fit each other, each pair with its numbers once more and the reason. They are declared in files that
 * know nothing of each other, so nothing else notices when one of them changes.
 */
const synthesized = usualApp()
const { assembly } = synthesized

const seconds = (count: number) => count * 1_000
const endpointMs = seconds(endpointTimeoutSeconds)
const timeoutMs = ({ timeoutSeconds }: { readonly timeoutSeconds: number }) => seconds(timeoutSeconds)
const visibilityMs = (name: keyof typeof queues) => seconds(queues[name].visibilitySeconds)
const { answersMs, goodbyeMs, lastWritesMs, spoolMs, lastReportMs } = stopTimes
/** How long a first attempt is waited for at least. */
const firstAnswersMs = receiverPatience.answerPauses * receiverPatience.pauseMs
/** How long a stop takes at most. */
const stopMs = (killedAfterSeconds: number) =>
  handOverMs(killedAfterSeconds) + goodbyeMs + lastWritesMs + spoolMs + lastReportMs
/** The longest that the API lets a phone ring. */
const longestRingMs = seconds(120)
/** The default time limit of an API Gateway integration of an HTTP API. */
const gatewayMs = seconds(30)

/** How long an engine of the kit waits for a lookup, unless it is set. */
const usualPatience = () => Number(/platform_timeout=(\d+)/.exec(readFileSync('engine/conf/settings.xml', 'utf8'))?.[1])

/** The shorter and the longer time of a pair, both in milliseconds, as they are and as they are stated. */
type Pair = readonly [title: string, are: readonly [number, number], stated: readonly [number, number], why: string]

const below: readonly Pair[] = [
  [
    'a login that waits for others in all its counters and is then judged, and its request',
    [patience.totalMs + judgingMs, requestLimitMs],
    [10_000, 28_000],
    'a login that is allowed in the end must still be answered',
  ],
  [
    'a request answers before its function is ended',
    [requestLimitMs, endpointMs],
    [28_000, 29_000],
    'A function that is ended answers with 502 in a foreign shape.',
  ],
  [
    'a request that used up its time has a moment left for its answer before its function is ended',
    [requestLimitMs + reserveMs, endpointMs],
    [28_500, 29_000],
    'The work ends half a second before the function, so that its end is answered or logged.',
  ],
  [
    'a lookup of an engine ends with the longest time that an engine of the kit waits for it, and not long after the usual one',
    [seconds(usualPatience()), seconds(lookUpDialplan.timeoutSeconds)],
    [2_000, 4_000],
    'An answer after that is computed in vain, and keeps a place from a call that is still there.',
  ],
  [
    'the function of an endpoint ends before the gateway gives up',
    [endpointMs, gatewayMs],
    [29_000, 30_000],
    'Otherwise it goes on unseen, and may still act after its caller got a failure.',
  ],
  [
    'a request key is held for longer than its function can run',
    [endpointMs, keyLeaseMs],
    [29_000, 30_000],
    'Otherwise a repetition runs during the first run, and both place the call.',
  ],
  [
    'a place of simultaneous requests is held for longer than its function can run',
    [endpointMs, placeLeaseMs],
    [29_000, 30_000],
    'Otherwise more requests of one token run at once than may.',
  ],
  [
    'a clean-up begins later than any request can end that was let in before the deletion',
    [endpointMs, requestMs],
    [29_000, 30_000],
    'Otherwise a request writes what no clean-up removes.',
  ],
  [
    'an endpoint stops waiting for the engine before the request is over',
    [engineWaitMs, requestLimitMs],
    [20_000, 28_000],
    'It withdraws the command then and reads once more whether it was taken.',
  ],
  [
    'a list of channels is given up before an order is',
    [listWaitMs, engineWaitMs],
    [8_000, 20_000],
    'No client waits that long for a list, and its place is wanted.',
  ],
  [
    'a search ends before the request is over',
    [searchLimitMs, requestLimitMs],
    [10_000, 28_000],
    'Its answer is read, filtered and written after it.',
  ],
  [
    'a test of a hook, login and call, ends before the request is over',
    [2 * testClientLimits.totalMs, requestLimitMs],
    [24_000, 28_000],
    'Its attempt is recorded after it.',
  ],
  [
    'a test mail ends before the request is over',
    [mailLimits.totalMs, requestLimitMs],
    [15_000, 28_000],
    'Its outcome is what the caller asked for.',
  ],
  [
    'a command that a dead connector had taken is seen again while its caller waits and there may be a place',
    [visibilityMs('commands') + busyNoticeMs, engineWaitMs],
    [12_000, 20_000],
    'Otherwise the second connector can only refuse it.',
  ],
  [
    'a command is dropped by the queue only after its caller stopped waiting',
    [engineWaitMs, seconds(queues.commands.retentionSeconds)],
    [20_000, 60_000],
    'Otherwise it is lost while it could still run.',
  ],
  [
    'a long poll of the command queue ends before it counts as dead',
    [seconds(LONG_POLL_SECONDS), RECEIVE_TIMEOUT_MS],
    [20_000, 25_000],
    'Otherwise an idle queue looks like an outage, and no consumer takes the messages.',
  ],
  [
    'a connector is relied on, and not taken for gone, although one of its reports was lost',
    [2 * reportMs, reliedOnMs],
    [10_000, 12_000],
    'Otherwise a late report moves commands to and fro, and gaps are recorded that are none.',
  ],
  [
    'a connector is shown as silent only after two lost reports',
    [2 * reportMs, reportLifeMs],
    [10_000, 15_000],
    'Otherwise a status page flickers.',
  ],
  [
    'a connector is shown as silent before it counts as dead',
    [reportLifeMs, deadAfterMs],
    [15_000, 30_000],
    'What it had claimed is ended as lost then: that has to be sure.',
  ],
  [
    'a stopping connector stops waiting for answers before it stops handing over events',
    [answersMs, handOverMs(patienceSeconds)],
    [3_000, 20_000],
    'Calls that ring must not cost events.',
  ],
  [
    'a connector has stopped before its task is killed',
    [stopMs(stopTimeoutMs() / 1_000), stopTimeoutMs()],
    [115_000, 120_000],
    'What it does last puts events on disk and reports what is left.',
  ],
  [
    'a connector on a laptop has stopped before its process is killed',
    [stopMs(patienceSeconds), seconds(patienceSeconds)],
    [25_000, 30_000],
    'What it does last puts events on disk and reports what is left.',
  ],
  [
    'the completion of an upload has ended when the claim of its sender ends',
    [completionMs, uploadClaimMs],
    [100_000, 960_000],
    'Otherwise an object comes after its recording was deleted.',
  ],
  [
    'an attempt, its login and the mail to the owner fit into the function that makes it',
    [2 * hookClientLimits.totalMs + mailLimits.totalMs, timeoutMs(deliver)],
    [45_000, 60_000],
    'An attempt that is cut off is made again: the receiver gets it twice.',
  ],
  [
    'a lost attempt is looked for later than its message comes again after a killed function',
    [visibilityMs('deliveries'), requeueLimits.overdueMs],
    [120_000, 300_000],
    'Otherwise it is queued a second time while the first message still counts.',
  ],
  [
    'an export ends its last search before its function is ended',
    [workTimeMs(writeExport) + searchMs, timeoutMs(writeExport)],
    [260_000, 300_000],
    'Otherwise the part under way is lost each time, and the export never ends.',
  ],
  [
    'a clean-up begins no further step in the last third of its function',
    [workTimeMs(cleanUpDomain), timeoutMs(cleanUpDomain)],
    [200_000, 300_000],
    'A step that is cut off is repeated by the next run.',
  ],
  [
    'the search for lost attempts ends before its function is ended',
    [workTimeMs(requeueDeliveries), timeoutMs(requeueDeliveries)],
    [40_000, 60_000],
    'Its end is logged, with what it left.',
  ],
  [
    'the search for missing recordings ends before its function is ended',
    [workTimeMs(failMissingRecordings), timeoutMs(failMissingRecordings)],
    [40_000, 60_000],
    'Its end is logged, with what it left.',
  ],
  [
    'the removal of expired recordings ends before its function is ended',
    [workTimeMs(removeExpiredRecordings), timeoutMs(removeExpiredRecordings)],
    [200_000, 300_000],
    'Its end is logged, with what it left.',
  ],
  [
    'a function that numbers events has ended when its numbers are taken for those of a dead one',
    [timeoutMs(hookDispatch) - 1, deadWriterMs],
    [29_999, 30_000],
    'A writer that lives finds its numbers void and takes others: the list of events would tell voids for nothing.',
  ],
  [
    'a function has ended when a first attempt that it went on with is made again',
    [timeoutMs(hookDispatch) - firstAnswersMs, againMs],
    [29_500, 30_000],
    'Otherwise a receiver that answers within its time gets its request twice.',
  ],
  [
    'a first attempt and the wait for its answer fit into the time of their function',
    [firstAnswersMs + hookClientLimits.totalMs, timeoutMs(hookDispatch)],
    [15_500, 30_000],
    'Its result would not be recorded, and it would be made again.',
  ],
]

const atMost: readonly Pair[] = [
  [
    'a lost claim is ended only when its caller waits no more',
    [engineWaitMs, waitedMs],
    [20_000, 20_000],
    'A waiting caller is never sent a loss that is only a late report.',
  ],
  [
    'a run of an attempt counts as interrupted only when its function must be over',
    [timeoutMs(deliver), longestRunMs],
    [60_000, 60_000],
    'Otherwise a run under way is shown as interrupted.',
  ],
  [
    'a recording that is being failed is held for as long as the function that fails it can run',
    [timeoutMs(failMissingRecordings), holdMs],
    [60_000, 60_000],
    'Otherwise an uploader takes it between the event and the record.',
  ],
  [
    'a placed call counts as live until its phone has stopped ringing and the engine has answered',
    [longestRingMs + callGraceMs, risingMs],
    [150_000, 150_000],
    'Otherwise a tenant has more calls than it may, while they ring.',
  ],
  [
    'the file of an export is kept for as long as its record',
    [exportLifeMs, buckets.exports.keptDays * 86_400_000],
    [86_400_000, 86_400_000],
    'Otherwise a finished export has no file.',
  ],
  [
    'what a large delivery carried is kept for as long as it can be sent again',
    [replayLimits.reachMs, buckets.payloads.keptDays * 86_400_000],
    [604_800_000, 604_800_000],
    'Otherwise a replay within the week finds nothing to send.',
  ],
  [
    'what a delivery carried is kept for as long as it can be sent again',
    [replayLimits.reachMs, keptUntil.deliveryEvent(0)],
    [604_800_000, 604_800_000],
    'Otherwise a replay within the week finds nothing to send.',
  ],
]

describe('of two times that must fit each other the first is less than the second:', () => {
  it.each(below)('the first of two related times is less than the second: %s', (_title, are, stated, why) => {
    expect(are).toEqual(stated)
    expect(are[0]).toBeLessThan(are[1])
    expect(why).not.toBe('')
  })
})

describe('of two times that must fit each other the second is no less than the first:', () => {
  it.each(atMost)('the second of two related times is no less than the first: %s', (_title, are, stated, why) => {
    expect(are).toEqual(stated)
    expect(are[0]).toBeLessThanOrEqual(are[1])
    expect(why).not.toBe('')
  })
})

it('a message stays invisible for longer than its function can run, so that no second run begins', () => {
  const times = workers.map(({ name, queue, ...worker }) => [name, timeoutMs(worker), visibilityMs(queue)] as const)

  expect(times).toEqual([
    ['hookDispatch', 30_000, 60_000],
    ['deliver', 60_000, 120_000],
    ['cdrIndex', 60_000, 90_000],
    ['writeExport', 300_000, 360_000],
    ['eraseParty', 300_000, 360_000],
    ['cleanUpDomain', 300_000, 360_000],
  ])
  for (const [name, runs, hidden] of times) expect([name, runs < hidden]).toEqual([name, true])
})

it("no integration of the API declares a timeout of its own, so the gateway's 30 s apply", () => {
  expect(integrationsOf(assembly).length).toBeGreaterThan(50)
  for (const { integration } of integrationsOf(assembly)) expect(integration).not.toHaveProperty('timeoutInMillis')
})

function stopTimeoutMs(): number {
  const [task] = assembly.ofType('AWS::ECS::TaskDefinition')
  const [container] = (task?.Properties['ContainerDefinitions'] ?? []) as { readonly StopTimeout: number }[]
  return seconds(container?.StopTimeout ?? 0)
}
