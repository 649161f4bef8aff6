import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'

const price = z.number()

const priceList = z.strictObject({
  date: z.iso.date(),
  region: z.string(),
  currency: z.string(),
  source: z.string(),
  hoursPerMonth: price,
  searchNodeHour: z.record(z.string(), price),
  searchDiskGbMonth: price,
  endpointHour: price,
  publicAddressHour: price,
  fargateArmCpuHour: price,
  fargateArmGbHour: price,
  alarmMonth: price,
  metricMonth: price,
  dashboardMonth: price,
  insightRuleMonth: price,
  keyMonth: price,
  secretMonth: price,
  logGb: price,
  functionGbSecond: price,
  functionMillion: price,
  standardQueueMillion: price,
  fifoQueueMillion: price,
  writeUnitMillion: price,
  tableGbMonth: price,
  tableBackupGbMonth: price,
  transferGb: price,
})

/** Published unit prices of one region at one date. */
export type PriceList = z.infer<typeof priceList>

/** Reads the committed price list. Throws if an entry is missing. */
export function readPrices(): PriceList {
  return priceList.parse(JSON.parse(readFileSync(new URL('prices.json', import.meta.url), 'utf8')))
}
