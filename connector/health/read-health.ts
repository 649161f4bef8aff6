import type { Running } from '../assembly/running.ts'
import { type ConnectorHealth, engineHealth } from './connector-health.ts'

/** Returns the health of a running connector: its engines, its lag, and its counters. */
export function readHealth(running: Running): ConnectorHealth {
  const { parts, startedAt, registry, events, works, runner, recorder, lost, tally, clocks } = running
  const engines = works.map(({ engine }) => engineHealth(engine, clocks.behindMs(engine.name)))
  const outcomes = Object.entries(runner.counts).map(([state, count]) => [`commands_${state}`, count] as const)
  return {
    status: engines.every(({ status }) => status === 'OK') ? 'OK' : 'error',
    connectorId: parts.connectorId,
    version: parts.version,
    startedAt,
    engines,
    lagMs: events.lagMs,
    counters: {
      ...events.counters(),
      ...recorder.counters(),
      channels: registry.size,
      channelsEvicted: registry.evicted,
      commandsInFlight: runner.inFlight,
      commandsWaiting: runner.waiting,
      commandsOfLostConnectors: lost.ended,
      gapsOfLostConnectors: tally.gapsOfLost,
      enginesOutOfReach: tally.outOfReach.length,
      answersLate: works.reduce((sum, { jobs }) => sum + jobs.late, 0),
      ...Object.fromEntries(outcomes),
    },
  }
}
