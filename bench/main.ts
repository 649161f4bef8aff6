/**
 * `npm run bench`: measures, prints the figures next to the committed baseline, and with `--write` makes the figures
 * the baseline.
 */
import { benchApi } from './api.ts'
import { benchCalls } from './calls.ts'
import { benchCdrs } from './cdrs.ts'
import { benchClients } from './clients.ts'
import { benchEsl } from './esl.ts'
import { type Figures, printFigures, writeBaseline } from './figures.ts'
import { benchGate } from './gate.ts'
import { benchGateway } from './gateway.ts'
import { benchFairness } from './hooks/fairness.ts'
import { benchSlowReceiver } from './hooks/slow-receiver.ts'
import { benchThroughput } from './hooks/throughput.ts'
import { benchPipeline } from './pipeline.ts'
import { benchSearch } from './search.ts'
import { benchStart } from './start.ts'

const benches: Readonly<Record<string, () => Promise<Figures>>> = {
  start: benchStart,
  api: benchApi,
  clients: benchClients,
  gateway: benchGateway,
  gate: benchGate,
  esl: benchEsl,
  deliver: benchThroughput,
  slowReceiver: benchSlowReceiver,
  fairness: benchFairness,
  pipeline: benchPipeline,
  search: benchSearch,
  cdrs: benchCdrs,
  calls: benchCalls,
}

const budgets: Figures = {
  startFirstMs: 15_000,
  startSecondMs: 5000,
  memoryMb: 500,
  memoryBusyMb: 700,
  coldPlainRatio: 1.6,
  originateToEngineP50Ms: 50,
  eventToHookP50Ms: 60,
  eventToHookP99Ms: 200,
  gatewayCpuRatio: 1.3,
  gateCpuMs: 0.25,
  eslReplyRatio: 4.8,
  deliverTimeRatio: 1.25,
  pipelineCalmP50Ms: 40,
  pipelineCalmP99Ms: 150,
  pipelineBusyP50Ms: 150,
  pipelineBusyP99Ms: 1000,
  pipelineBusyCalls: 3,
  pipelineBusyWriteUnits: 12,
  pipelineBusyMemoryMb: 700,
  pipelineTenantsP99Ms: 1000,
  pipelineFloodCalls: 1.5,
  calls10LookupP99Ms: 300,
  calls40Lookup503P99Ms: 100,
  slowReceiverP99Ratio: 2,
  neighbourWithSlowP99Ratio: 3,
  neighbourWithPatternsP99Ratio: 3,
  neighbourWithRoutesP99Ratio: 3,
}

const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('--'))
const unknown = names.find((name) => !(name in benches))

if (words.includes('--help')) {
  console.log(`npm run bench -- [${Object.keys(benches).join('] [')}] [--write]

Runs the benchmarks named, or all of them. --write makes the figures the committed baseline.`)
} else if (unknown === undefined) {
  for (const [name, bench] of Object.entries(benches)) {
    if (names.length > 0 && !names.includes(name)) continue
    console.log(`${name} …`)
    const figures = await bench()
    printFigures(figures, budgets)
    if (words.includes('--write')) writeBaseline(figures)
  }
} else {
  console.error(`no benchmark is called ${unknown}: there are ${Object.keys(benches).join(', ')}`)
  process.exitCode = 1
}
