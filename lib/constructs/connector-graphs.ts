import { GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import { connectorMetric, sums, tops } from './connector-metric.ts'

/** Returns the dashboard's rows on the connectors: every metric is in one of them. */
export function connectorGraphs(): GraphWidget[][] {
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 })
  return [
    [
      graph('Events: lag, ms', [connectorMetric('Lag', 'Maximum')]),
      graph(
        'Events: read, wanted, queued, sent again',
        sums('EventsRead', 'EventsRelayed', 'EventsPublished', 'EventsRepeated', 'CdrsRelayed'),
      ),
    ],
    [
      graph('Events: gaps, drops by class, unreadable, without domain, recovered, refused contacts', [
        ...sums('Gaps', 'GapsLost', 'EventsDroppedTerminal', 'EventsDroppedCall', 'EventsDroppedOther'),
        ...sums('EventsUnreadable', 'EventsWithoutDomain', 'EventsRecovered', 'ContactsRefused'),
      ]),
      graph('Events: waiting in memory and on disk', [
        ...tops('EventsWaiting', 'EventsHeld', 'SpoolEvents'),
        ...sums('SpoolSkipped', 'SpoolDamaged', 'SpoolFailures'),
      ]),
    ],
    [
      graph('Commands by outcome', [
        ...sums('CommandsDone', 'CommandsRefused', 'CommandsAbsent', 'CommandsUnsent', 'CommandsUnknown'),
        ...sums('CommandsRepeated', 'CommandsUnreadable'),
      ]),
      graph('Commands: time to the engine, and of orders to their outcome, ms', [
        connectorMetric('CommandDelay', 'p50'),
        connectorMetric('CommandDelay', 'p99'),
        connectorMetric('OrderTime', 'p50'),
        connectorMetric('OrderTime', 'p99'),
      ]),
    ],
    [
      graph('Engines: away, refusing, links made again, answers late and stray; starts of connectors', [
        ...tops('EnginesAway', 'EnginesRefusing', 'EnginesOutOfReach'),
        ...sums('Reconnects', 'AnswersLate', 'AnswersStray', 'Starts'),
      ]),
      graph('Channels, and commands under way', [
        ...tops('Channels', 'CommandsInFlight', 'CommandsWaiting'),
        ...sums('ChannelsEvicted'),
      ]),
    ],
    [
      graph('Bytes of events in memory and on disk', tops('EventMemory', 'SpoolBytes')),
      graph('Gaps that wait for the store', tops('GapsWaiting')),
      graph('Recordings: records that could not be written', sums('RecordingFailures', 'RecordingsDropped')),
    ],
  ]
}
