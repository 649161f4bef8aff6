import { expect, it } from 'vitest'
import { connectorMetrics, countMetrics, levelMetrics, metricNamespace, timeMetrics } from '../../contracts/metrics.ts'
import { schedules } from '../../contracts/schedules.ts'
import { type Value, text } from './assembly.ts'
import { appWith, usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

const { group, dimension, service } = connectorMetrics
const namespace = metricNamespace(group, 'test')
const written: readonly string[] = [...countMetrics, ...Object.keys(levelMetrics), ...timeMetrics]

/** The connector's metrics that alarms look at, each with its statistic and its dimensions. */
const alarmed = assembly
  .ofType('AWS::CloudWatch::Alarm')
  .filter(({ Properties }) => Properties['Namespace'] === namespace)
  .map(({ Properties }) => ({
    name: text(Properties['MetricName']),
    statistic: Properties['Statistic'],
    dimensions: Properties['Dimensions'],
    silence: Properties['TreatMissingData'],
  }))

it('alarms use metrics that the connector writes, in the namespace where it writes them', () => {
  expect(alarmed.map(({ name }) => name).filter((name) => !written.includes(name))).toEqual([])
  for (const { dimensions } of alarmed) expect(dimensions).toEqual([{ Name: dimension, Value: service }])
})

/** Without the one that counts the lines of connectors, to find a missing one. */
const ofValues = alarmed.filter(({ statistic }) => statistic !== 'SampleCount')

it('lag, drops, gaps, the spool, engines, refusals, starts and commands each have an alarm on a metric of their own', () => {
  expect(ofValues.map(({ name }) => name).sort()).toEqual(
    [
      'CommandsUnknown',
      'EnginesAway',
      'EnginesOutOfReach',
      'EnginesRefusing',
      'EventsDropped',
      'Gaps',
      'Lag',
      'SpoolEvents',
      'SpoolSkipped',
      'Starts',
    ].sort(),
  )
})

it('alarms sum counts and use the maximum of levels, and none goes off for missing data', () => {
  const counts: readonly string[] = countMetrics
  for (const { name, statistic, silence } of ofValues) {
    expect([name, statistic]).toEqual([name, counts.includes(name) ? 'Sum' : 'Maximum'])
    expect(silence).toBe('notBreaching')
  }
})

it('the store of CDRs has alarms on lost parts, blocked writes, a disk that is three quarters full, and memory', () => {
  const domain = assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch')
  const alarms = assembly
    .ofType('AWS::CloudWatch::Alarm')
    .filter(({ Properties }) => Properties['Namespace'] === 'AWS/ES')
    .map(({ stack, Properties }) => {
      const dimensions = Properties['Dimensions'] as { Name: string; Value: Value }[]
      expect(dimensions.map(({ Value }) => assembly.resolve(stack, Value))).toContain(
        `${domain.stack.name}/${domain.id}`,
      )
      const { MetricName, Statistic, ComparisonOperator, Threshold } = Properties
      return [MetricName, Statistic, ComparisonOperator, Threshold].map(String).join(' ')
    })

  expect(alarms.sort()).toEqual([
    'ClusterIndexWritesBlocked Maximum GreaterThanOrEqualToThreshold 1',
    'ClusterStatus.red Maximum GreaterThanOrEqualToThreshold 1',
    'FreeStorageSpace Minimum LessThanThreshold 5120',
    'JVMMemoryPressure Maximum GreaterThanOrEqualToThreshold 90',
  ])
})

it('a schedule that fails three times of five alarms', () => {
  for (const { name, everyMinutes, failing } of schedules) {
    const alarm = assembly
      .ofType('AWS::CloudWatch::Alarm')
      .find(({ Properties }) => Properties['AlarmName'] === `Callplane test: ${failing.article}`)
    const [dimension] = (alarm?.Properties['Dimensions'] ?? []) as { Name: string; Value: Value }[]

    expect(alarm?.Properties).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Statistic: 'Sum',
      Threshold: 3,
      Period: 300 * everyMinutes,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    })
    expect(alarm && assembly.resolve(alarm.stack, dimension?.Value).toLowerCase()).toContain(name.toLowerCase())
    // The longest that CloudWatch adds up.
    expect(300 * everyMinutes).toBeLessThanOrEqual(86_400)
  }
})

it('F42 deliveries that failed for good are counted by domain, in the logs of both functions that attempt them', () => {
  const { stack, Properties } = assembly.one('AWS::CloudWatch::InsightRule', 'FailedDeliveries')
  const body = assembly.resolve(stack, Properties['RuleBody'])

  expect(body).toContain('"Keys":["$.domain"],"Filters":[{"Match":"$.message","In":["delivery failed"]}]')
  expect(body).toMatch(/DeliverHandlerLogs/)
  expect(Properties['RuleState']).toBe('ENABLED')
})

it('a stage that only watches its deployments has the alarm that rolls one back, and neither dashboard nor rule', () => {
  const quiet = appWith({ monitoring: 'deployments' }).assembly
  const names = quiet.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => text(Properties['AlarmName']))

  expect(names).toEqual(['Callplane test: A new connector does not reach an engine'])
  expect(quiet.ofType('AWS::CloudWatch::Dashboard')).toEqual([])
  expect(quiet.ofType('AWS::CloudWatch::InsightRule')).toEqual([])
  // The queues and their dead letters are all there.
  expect(quiet.ofType('AWS::SQS::Queue')).toHaveLength(assembly.ofType('AWS::SQS::Queue').length)
})

it('the dashboard shows every metric that the connector writes', () => {
  const { stack, Properties } = assembly.one('AWS::CloudWatch::Dashboard', 'Dashboard')
  const body = JSON.stringify(assembly.resolve(stack, Properties['DashboardBody']) ?? Properties['DashboardBody'])
  const shows = (name: string) => body.includes(`\\"${name}\\"`) || body.includes(`"${name}"`)

  // The sum of all drops is shown by its parts.
  expect(written.filter((name) => !shows(name))).toEqual(['EventsDropped'])
})
