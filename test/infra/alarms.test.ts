import { describe, expect, it } from 'vitest'
import { type Placed, type Value, text } from './assembly.ts'
import { appWith } from './synthesized-app.ts'

const { assembly } = appWith({ canary: 'on' })

/** An alarm as this file states it: each number once more, with the reason for it. */
interface StatedAlarm {
  /** Namespace, name and statistic of the metric, and seconds of a period. */
  readonly metric: string
  /** The resource or dimension that it is measured on. */
  readonly on: string
  readonly when: string
  /** Periods in a row that must be bad. */
  readonly periods: number
  readonly missingData: 'breaching' | 'notBreaching'
  readonly why: string
}

const age = 'AWS/SQS ApproximateAgeOfOldestMessage Maximum 60 s'
const anyDeadLetter = (queue: string, why: string): StatedAlarm => ({
  metric: 'AWS/SQS ApproximateNumberOfMessagesVisible Maximum 60 s',
  on: `QueueName=${queue}QueueDeadLetters.QueueName`,
  when: '>= 1',
  periods: 1,
  missingData: 'notBreaching',
  why,
})
const threeErrors = (schedule: string, seconds: number, why: string): StatedAlarm => ({
  metric: `AWS/Lambda Errors Sum ${seconds} s`,
  on: `FunctionName=${schedule}HandlerFunction`,
  when: '>= 3',
  periods: 1,
  missingData: 'notBreaching',
  why: `${why} Three errors of five calls: a single one is made up for by the next call.`,
})
const connectorAlarm = (
  metric: string,
  when: string,
  { periods, why }: { readonly periods: number; readonly why: string },
): StatedAlarm => ({
  metric: `Callplane/test/Connector ${metric} 60 s`,
  on: 'service=connector',
  when,
  periods,
  // Connectors write every 30 s; silence is covered by the alarm on missing tasks.
  missingData: 'notBreaching',
  why,
})
const searchAlarm = (metric: string, when: string, why: string): StatedAlarm => ({
  metric: `AWS/ES ${metric}`,
  on: 'ClientId=AWS::AccountId DomainName=CdrSearchDomain',
  when,
  periods: 3,
  missingData: 'notBreaching',
  why,
})

/** Every alarm of the platform. An alarm without a line here fails the test, and so does a line without its alarm. */
const stated: Readonly<Record<string, StatedAlarm>> = {
  'The API answers with errors': {
    metric:
      'IF(requests >= 20, 100 * errors / requests, 0) with ' +
      'requests = AWS/ApiGateway Count SampleCount 300 s, errors = AWS/ApiGateway 5xx Sum 300 s',
    on: 'ApiId=Api',
    when: '>= 5',
    periods: 2,
    missingData: 'notBreaching',
    why: 'One request in twenty of at least 20; ten minutes, because a deployment or a failover is over by then.',
  },
  'The API is slow': {
    metric:
      'IF(requests >= 100, latency, 0) with ' +
      'requests = AWS/ApiGateway Count SampleCount 300 s, latency = AWS/ApiGateway Latency p50 300 s',
    on: 'ApiId=Api',
    when: '>= 3000',
    periods: 3,
    missingData: 'notBreaching',
    why: 'A usual request takes 20 to 50 ms and a cold start less than a second. A placed call waits 20 s, so the median.',
  },
  'Requests are refused with 429': {
    metric:
      'IF(requests >= 100, 100 * refused / requests, 0) with ' +
      'requests = AWS/ApiGateway Count SampleCount 300 s, refused = Callplane/test/Access RequestsRefused Sum 300 s',
    on: 'ApiId=Api and ',
    when: '>= 5',
    periods: 3,
    missingData: 'notBreaching',
    why: 'A burst of one program is over in fifteen minutes; what lasts longer is a limit that does not fit.',
  },
  'The canary fails': {
    metric: 'AWS/Lambda Errors Sum 900 s',
    on: 'FunctionName=CanaryHandlerFunction',
    when: '>= 2',
    periods: 1,
    missingData: 'notBreaching',
    why: 'Two of three tries: a single one may meet a deployment.',
  },
  'The concurrency of functions runs out': {
    metric: 'AWS/Lambda ClaimedAccountConcurrency Maximum 60 s',
    on: '',
    when: '>= 800',
    periods: 5,
    missingData: 'notBreaching',
    why: 'Four fifths of the usual quota of 1000, reserved concurrency included; a peak of events is over in five minutes.',
  },
  'Functions are throttled': {
    metric: 'AWS/Lambda Throttles Sum 300 s',
    on: '',
    when: '>= 50',
    periods: 2,
    missingData: 'notBreaching',
    why: 'Consumers of a queue are refused now and then while they grow; ten minutes of it are a quota.',
  },
  'Functions fail': {
    metric: 'AWS/Lambda Errors Sum 300 s',
    on: '',
    when: '>= 20',
    periods: 2,
    missingData: 'notBreaching',
    why: 'Handlers answer failures themselves: an error is a crash or a time limit. Schedules have alarms of their own.',
  },
  'DynamoDB throttles': {
    metric: 'SELECT SUM(ThrottledRequests) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) with ',
    on: '',
    when: '>= 100',
    periods: 2,
    missingData: 'notBreaching',
    why: 'A few throttled calls are repeated by the clients; ten minutes of them are a hot partition or a quota.',
  },
  'Commands are not taken': {
    metric: age,
    on: 'QueueName=CommandsQueueWork.QueueName',
    when: '>= 15',
    periods: 2,
    missingData: 'notBreaching',
    why: 'A caller waits 20 s: at 15 s commands are lost to their callers. An empty queue reports no age.',
  },
  'Events wait': {
    metric: age,
    on: 'QueueName=EventsQueueWork.QueueName',
    when: '>= 120',
    periods: 3,
    missingData: 'notBreaching',
    why: 'Twice the 60 s after which a killed dispatcher gives its events back; three minutes outlast a cold start.',
  },
  'Deliveries wait': {
    metric: age,
    on: 'QueueName=DeliveriesQueueWork.QueueName',
    when: '>= 1800',
    periods: 3,
    missingData: 'notBreaching',
    why: 'A retry is queued up to 900 s before it is due, and that counts as age: what is twice as old was due long ago.',
  },
  'A connector is missing': {
    metric: 'Callplane/test/Connector Lag SampleCount 300 s',
    on: 'service=connector',
    when: '< 15',
    periods: 1,
    missingData: 'breaching',
    why: 'Each of two connectors writes ten lines in five minutes. Without any connector there is no data at all.',
  },
  'Lost attempts are not looked for': threeErrors('RequeueDeliveries', 300, 'Called every minute.'),
  'Missing recordings are not reported': threeErrors('FailMissingRecordings', 300, 'Called every minute.'),
  'Expired recordings are not removed': threeErrors('RemoveExpiredRecordings', 18_000, 'Called every hour.'),
  'Expired CDRs are not removed': threeErrors('RemoveExpiredCdrs', 18_000, 'Called every hour.'),
  'An engine refuses the connector': connectorAlarm('EnginesRefusing Maximum', '>= 1', {
    periods: 1,
    why: 'A refusal does not pass by itself: a person must change a password or an access list.',
  }),
  'A new connector does not reach an engine': connectorAlarm('EnginesOutOfReach Maximum', '>= 1', {
    periods: 2,
    why: 'A link takes seconds. ECS waits for as long as the alarm needs before it ends a deployment.',
  }),
  'An engine cannot be reached': connectorAlarm('EnginesAway Maximum', '>= 1', {
    periods: 3,
    why: 'Any engine counts; a restart of an engine takes less than three minutes.',
  }),
  'A connector restarts again and again': {
    ...connectorAlarm('Starts Sum', '>= 6', {
      periods: 1,
      why: 'Two connectors start twice when a deployment is taken back; a crash is followed by a start within a minute.',
    }),
    metric: 'Callplane/test/Connector Starts Sum 900 s',
  },
  'Commands end without an answer': connectorAlarm('CommandsUnknown Sum', '>= 5', {
    periods: 3,
    why: 'One lost link ends several commands as unknown, once; five a minute for three minutes is a fault that lasts.',
  }),
  'Events lag behind the engine': connectorAlarm('Lag Maximum', '>= 10000', {
    periods: 3,
    why: 'Milliseconds: usual is less than one second, and a failover of the queue is over in three minutes.',
  }),
  'Events may have been missed': connectorAlarm('Gaps Sum', '>= 1', {
    periods: 1,
    why: 'Every gap may be a call whose events a tenant never received.',
  }),
  'Events are dropped': connectorAlarm('EventsDropped Sum', '>= 1', { periods: 1, why: 'Every drop is a loss.' }),
  'Events pile up on disk': connectorAlarm('SpoolEvents Maximum', '>= 10000', {
    periods: 5,
    why: 'Twenty seconds of 500 events each; after five minutes the queue does not catch up by itself.',
  }),
  'The disk takes no events': connectorAlarm('SpoolSkipped Sum', '>= 1', {
    periods: 1,
    why: 'From the first skipped event on the death of a task loses events.',
  }),
  'Recordings do not arrive': {
    metric: 'Callplane/test/Recording RecordingsMissing Sum 60 s',
    on: '',
    when: '>= 1',
    periods: 1,
    missingData: 'notBreaching',
    why: 'Fifteen minutes have passed already: an engine does not send. Without log lines there is no data, and nothing is wrong.',
  },
  'CDRs wait': {
    metric: age,
    on: 'QueueName=CdrsQueueWork.QueueName',
    when: '>= 300',
    periods: 3,
    missingData: 'notBreaching',
    why: 'Three tries of 90 s and the next one: what waits longer is not taken by the store.',
  },
  'The store of CDRs is not prepared': {
    metric: 'Callplane/test/Cdr PreparationsFailed Sum 60 s',
    on: '',
    when: '>= 1',
    periods: 1,
    missingData: 'notBreaching',
    why: 'A preparation asks for a minute and a half by itself; the next call comes within the hour.',
  },
  'CDRs are refused': {
    metric: 'Callplane/test/Cdr CdrsRefused Sum 60 s',
    on: '',
    when: '>= 1',
    periods: 1,
    missingData: 'notBreaching',
    why: 'A refused CDR is missing until a person acts. Without log lines there is no data, and nothing is wrong.',
  },
  'CDRs are missing from searches': searchAlarm(
    'ClusterStatus.red Maximum 60 s',
    '>= 1',
    'Red is 1; a node that is replaced can turn an index red for less than three minutes.',
  ),
  'The store of CDRs takes no writes': searchAlarm(
    'ClusterIndexWritesBlocked Maximum 60 s',
    '>= 1',
    'The service blocks writes when a disk is full or memory is short; for three minutes, so a passing block raises no alarm.',
  ),
  'The store of CDRs fills up': searchAlarm(
    'FreeStorageSpace Minimum 300 s',
    '< 5120',
    'MiB, of the fullest node: a quarter of 20 GiB. The service stops writes at a tenth; merges need room as well.',
  ),
  'The store of CDRs is short of memory': searchAlarm(
    'JVMMemoryPressure Maximum 300 s',
    '>= 90',
    'Percent: at 95 the service cuts requests off.',
  ),
  'Commands in the dead-letter queue': anyDeadLetter('Commands', 'Taken three times: a fault of a connector.'),
  'Events in the dead-letter queue': anyDeadLetter('Events', 'Four hours of tries: its hooks were not called.'),
  'Deliveries in the dead-letter queue': anyDeadLetter('Deliveries', 'A receiver that is down leads to none.'),
  'CDRs in the dead-letter queue': anyDeadLetter('Cdrs', 'A day of tries: the call is missing from searches.'),
  'Exports in the dead-letter queue': anyDeadLetter('Exports', 'Its owner sees it running for ever.'),
  'Erasures in the dead-letter queue': anyDeadLetter('Erasures', 'A promise to a person is not kept.'),
  'Clean-ups in the dead-letter queue': anyDeadLetter('Cleanups', 'What a deleted tenant left is still there.'),
}

/**
 * The allowed properties of an alarm. Another property could change when it goes off, so this file would have to state
 * it.
 */
const judged = new Set(
  (
    'AlarmActions AlarmDescription AlarmName OKActions ComparisonOperator EvaluationPeriods Threshold ' +
    'TreatMissingData Dimensions MetricName Metrics Namespace Period Statistic'
  ).split(' '),
)

const operators: Readonly<Record<string, string>> = {
  GreaterThanOrEqualToThreshold: '>=',
  GreaterThanThreshold: '>',
  LessThanOrEqualToThreshold: '<=',
  LessThanThreshold: '<',
}

type Properties = Readonly<Record<string, Value>>

const titleOf = ({ Properties }: Placed) => text(Properties['AlarmName']).replace(/^Callplane test: /, '')
const alarms = assembly.ofType('AWS::CloudWatch::Alarm').map((alarm) => [titleOf(alarm), alarm] as const)

/** A logical id without its stack and without the hash that CDK adds. */
const plain = (id: string) => id.replace(/^\w+\//, '').replace(/[0-9A-F]{8}(?=\.|$)/, '')

function dimensionsOf({ stack }: Placed, { Dimensions = [] }: Properties): string {
  const pairs = Dimensions as { Name: string; Value: Value }[]
  return pairs.map(({ Name, Value }) => `${Name}=${plain(assembly.resolve(stack, Value))}`).join(' ')
}

function metricOf({ Namespace, MetricName }: Properties, statistic: Value | undefined, period: Value | undefined) {
  return `${[Namespace, MetricName, statistic, period].map(String).join(' ')} s`
}

function measured(alarm: Placed): { readonly metric: string; readonly on: string } {
  const { Properties: all } = alarm
  if (all['Metrics'] === undefined) {
    return { metric: metricOf(all, all['Statistic'], all['Period']), on: dimensionsOf(alarm, all) }
  }
  const parts = all['Metrics'] as { Id: string; Expression?: string; ReturnData: boolean; MetricStat?: Properties }[]
  const { Expression = '' } = parts.find(({ ReturnData }) => ReturnData) ?? {}
  const metrics = parts.flatMap(({ Id, MetricStat }) => {
    if (MetricStat === undefined) return []
    const metric = MetricStat['Metric'] as Properties
    const line = `${Id} = ${metricOf(metric, MetricStat['Stat'], MetricStat['Period'])}`
    return [{ line, on: dimensionsOf(alarm, metric) }]
  })
  const lines = metrics.map(({ line }) => line)
  return {
    metric: `${Expression} with ${lines.join(', ')}`,
    on: [...new Set(metrics.map(({ on }) => on))].join(' and '),
  }
}

describe.each(alarms)('the alarm "%s"', (title, alarm) => {
  it('the alarm goes off at the stated threshold and direction, and treats missing data as stated', () => {
    const { why, ...expected } = stated[title] ?? { why: '' }
    const { ComparisonOperator, Threshold, EvaluationPeriods, TreatMissingData } = alarm.Properties

    expect({
      ...measured(alarm),
      when: `${operators[text(ComparisonOperator)]} ${String(Number(Threshold))}`,
      periods: EvaluationPeriods,
      missingData: TreatMissingData,
    }).toEqual(expected)
    expect(why).not.toBe('')
  })

  it('the alarm has no unstated property that could change when it goes off', () => {
    expect(Object.keys(alarm.Properties).filter((name) => !judged.has(name))).toEqual([])
  })
})

/** Alarms that wake a person: calls, events or the whole API do not work now, and a person can mend it. */
const pages = [
  'A connector is missing',
  'A connector restarts again and again',
  'An engine cannot be reached',
  'An engine refuses the connector',
  'CDRs are missing from searches',
  'Commands are not taken',
  'Commands end without an answer',
  'Events are dropped',
  'Events lag behind the engine',
  'Events pile up on disk',
  'Events wait',
  'Functions are throttled',
  'Functions fail',
  'The API answers with errors',
  'The canary fails',
  'The concurrency of functions runs out',
]

it('the stated alarms wake a person, and every other one opens a ticket', () => {
  const ofTopic = (prefix: string) => {
    const { stack, id } = assembly.one('AWS::SNS::Topic', prefix)
    const actions = (alarm: Placed) => assembly.resolve(alarm.stack, alarm.Properties['AlarmActions'])
    return alarms.filter(([, alarm]) => actions(alarm) === `${stack.name}/${id}`).map(([title]) => title)
  }

  expect(ofTopic('OnCallTopic').sort()).toEqual(pages)
  expect(ofTopic('OnCallTickets')).toHaveLength(alarms.length - pages.length)
})

it('the table of stated alarms has every alarm', () => {
  expect(Object.keys(stated).sort()).toEqual(alarms.map(([title]) => title).sort())
})

it('each metric filter counts one for each matching line of its log, and nothing without one', () => {
  const filters = assembly.ofType('AWS::Logs::MetricFilter').map(({ stack, Properties }) => ({
    log: plain(assembly.resolve(stack, Properties['LogGroupName'])),
    pattern: Properties['FilterPattern'],
    becomes: Properties['MetricTransformations'],
  }))
  const one = (MetricName: string, group = 'Cdr') => [
    { MetricName, MetricNamespace: `Callplane/test/${group}`, MetricValue: '1' },
  ]

  // The name of a log is text here, and a resource in the others.
  expect(filters.toSorted((a, b) => (JSON.stringify(a.becomes) < JSON.stringify(b.becomes) ? -1 : 1))).toEqual([
    {
      log: 'EngineLogs',
      pattern: '{ $.message = "gateways of several domains have the source of a call: the oldest has got it" }',
      becomes: one('AmbiguousSources', 'Gateway'),
    },
    { log: 'CdrIndexHandlerLogs', pattern: '{ $.message = "CDR refused" }', becomes: one('CdrsRefused') },
    { log: 'CdrIndexHandlerLogs', pattern: '{ $.message = "CDR without domain" }', becomes: one('CdrsWithoutDomain') },
    {
      log: 'PrepareSearchHandlerLogs',
      pattern: '{ $.message = "preparation failed" }',
      becomes: one('PreparationsFailed'),
    },
    {
      log: 'FailMissingRecordingsHandlerLogs',
      pattern: '{ $.message = "recordings never came" }',
      becomes: one('RecordingsMissing', 'Recording'),
    },
    {
      log: '/callplane/test/access',
      pattern: '{ $.status = "429" }',
      becomes: one('RequestsRefused', 'Access'),
    },
  ])
})

it('only the rule for deliveries that failed for good counts log lines by tenant', () => {
  const rules = assembly.ofType('AWS::CloudWatch::InsightRule').map(({ stack, Properties }) => ({
    state: Properties['RuleState'],
    body: JSON.parse(assembly.resolve(stack, Properties['RuleBody'])) as Record<string, unknown>,
  }))

  expect(rules).toEqual([
    {
      state: 'ENABLED',
      body: {
        Schema: { Name: 'CloudWatchLogRule', Version: 1 },
        LogGroupNames: [
          expect.stringMatching(/\/HookDispatchHandlerLogs[0-9A-F]{8}$/),
          expect.stringMatching(/\/DeliverHandlerLogs[0-9A-F]{8}$/),
        ],
        LogFormat: 'JSON',
        Contribution: { Keys: ['$.domain'], Filters: [{ Match: '$.message', In: ['delivery failed'] }] },
        AggregateOn: 'Count',
      },
    },
  ])
})
