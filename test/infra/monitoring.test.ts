import { afterAll, expect, it } from 'vitest'
import { connectorMetrics, countMetrics, levelMetrics, timeMetrics } from '../../contracts/metrics.ts'
import { text } from './assembly.ts'
import { synthesize } from './synthesized-app.ts'

const synthesized = synthesize()
const { assembly } = synthesized
afterAll(() => synthesized[Symbol.dispose]())

const { namespace, dimension, service } = connectorMetrics
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

it('alarms look at metrics that the connector writes, where it writes them', () => {
  expect(alarmed.map(({ name }) => name).filter((name) => !written.includes(name))).toEqual([])
  for (const { dimensions } of alarmed) expect(dimensions).toEqual([{ Name: dimension, Value: service }])
})

it('there is an alarm on lag, drops, gaps, the spool, engines, refusals and commands, and each looks at another metric', () => {
  expect(alarmed.map(({ name }) => name).sort()).toEqual(
    [
      'CommandsUnknown',
      'EnginesAway',
      'EnginesRefusing',
      'EventsDropped',
      'Gaps',
      'Lag',
      'SpoolEvents',
      'SpoolSkipped',
    ].sort(),
  )
})

it('a count is summed and a level taken at its highest; neither alarms for want of data', () => {
  const counts: readonly string[] = countMetrics
  for (const { name, statistic, silence } of alarmed) {
    expect([name, statistic]).toEqual([name, counts.includes(name) ? 'Sum' : 'Maximum'])
    expect(silence).toBe('notBreaching')
  }
})

it('the dashboard shows every metric that the connector writes', () => {
  const { stack, Properties } = assembly.one('AWS::CloudWatch::Dashboard', 'Dashboard')
  const body = JSON.stringify(assembly.resolve(stack, Properties['DashboardBody']) ?? Properties['DashboardBody'])
  const shows = (name: string) => body.includes(`\\"${name}\\"`) || body.includes(`"${name}"`)

  // The sum of all drops is shown by its parts.
  expect(written.filter((name) => !shows(name))).toEqual(['EventsDropped'])
})
