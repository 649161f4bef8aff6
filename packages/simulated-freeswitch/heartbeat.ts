import { uptime } from './commands/system.ts'
import { type Engine, maxChannels } from './calls/engine.ts'

/** The engine's own interval. */
const intervalMs = 20_000

/** Fires a HEARTBEAT, and the RE_SCHEDULE that follows it, every 20 seconds until the returned function is called. */
export function startHeartbeat(engine: Engine): () => void {
  let cancel = engine.timers.after(intervalMs, beat)
  function beat(): void {
    fireHeartbeat(engine)
    cancel = engine.timers.after(intervalMs, beat)
  }
  return () => cancel()
}

function fireHeartbeat(engine: Engine): void {
  const { peak, sinceStartup } = engine.sessions
  engine.events.fire({
    name: 'HEARTBEAT',
    place: ['switch_core.c', 'send_heartbeat', 95],
    headers: [
      ['Event-Info', 'System Ready'],
      ['Up-Time', uptime(engine)],
      ['Uptime-msec', `${engine.timers.now() - engine.startedAt}`],
      ['Session-Count', `${engine.channels.size}`],
      ['Max-Sessions', `${maxChannels}`],
      ['Session-Per-Sec', '500'],
      ['Session-Per-Sec-Last', '0'],
      ['Session-Per-Sec-Max', `${peak}`],
      ['Session-Per-Sec-FiveMin', `${peak}`],
      ['Session-Since-Startup', `${sinceStartup}`],
      ['Session-Peak-Max', `${peak}`],
      ['Session-Peak-FiveMin', `${peak}`],
      ['Idle-CPU', '99.000000'],
    ],
  })
  engine.events.fire({
    name: 'RE_SCHEDULE',
    place: ['switch_scheduler.c', 'switch_scheduler_execute', 73],
    headers: [
      ['Task-ID', '1'],
      ['Task-Desc', 'heartbeat'],
      ['Task-Group', 'core'],
      ['Task-Runtime', `${Math.trunc((engine.timers.now() + intervalMs) / 1000)}`],
    ],
  })
}
