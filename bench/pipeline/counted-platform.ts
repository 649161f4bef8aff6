/**
 * The platform of `npm start` as a process of its own that counts what passes its gate. Started by bench/pipeline.ts;
 * answers the messages `count` (begin anew) and `report`.
 */
import { join } from 'node:path'
import { startPlatform } from '../../local/platform/start-platform.ts'
import { readSettings } from '../../local/settings/settings.ts'
import { WriteUnits } from './write-units.ts'

const platform = await startPlatform({
  root: join(import.meta.dirname, '../..'),
  settings: readSettings(process.env),
  progress: () => {},
  notice: () => {},
  signal: new AbortController().signal,
})

let calls = new Map<string, number>()
let writeUnits = new WriteUnits()
let cpu = process.cpuUsage()

platform.gate.watchCalls(({ roleArn, action, input }) => {
  const name = `${shortName(roleArn)} ${action}`
  calls.set(name, (calls.get(name) ?? 0) + 1)
  writeUnits.add(action, input, Math.floor(Date.now() / 1000))
})

process.on('message', (message) => {
  if (message === 'count') {
    calls = new Map()
    writeUnits = new WriteUnits()
    cpu = process.cpuUsage()
    process.send?.({ counting: true })
  }
  if (message === 'report') {
    const { user, system } = process.cpuUsage(cpu)
    process.send?.({
      calls: Object.fromEntries(calls),
      writeUnits: writeUnits.total,
      hottest: Math.max(0, ...writeUnits.partitions.values()),
      cpuMs: (user + system) / 1000,
    })
  }
  if (message === 'stop') void platform.stop().then(() => process.exit())
})
process.send?.({ isUp: true })

function shortName(roleArn: string): string {
  const name = roleArn.slice(roleArn.lastIndexOf('/') + 1)
  return /(hookDispatch|deliver|cdrIndex|Task|requeue\w*)/i.exec(name)?.[1] ?? name
}
