import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'

const price = z.number()

/** A source that some prices were compared with, and the date of the source, or of the reading where it has none. */
const comparison = z.strictObject({ with: z.string(), date: z.iso.date(), prices: z.array(z.string()) })

const priceList = z.strictObject({
  region: z.string(),
  currency: z.string(),
  hoursPerMonth: price,
  compared: z.array(comparison),
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

/**
 * Reads the committed price list. Throws if an entry is missing, or a comparison names a price that is not in the list.
 */
export function readPrices(): PriceList {
  const prices = priceList.parse(JSON.parse(readFileSync(new URL('prices.json', import.meta.url), 'utf8')))
  const unknown = prices.compared
    .flatMap((source) => source.prices)
    .filter((name) => !priceNames(prices).includes(name))
  if (unknown.length > 0) throw new Error(`prices.json compares ${unknown.join(', ')}, which it does not have`)
  return prices
}

/** Returns the names of all prices of a list. */
export function priceNames(prices: PriceList): string[] {
  const { region: _region, currency: _currency, hoursPerMonth: _hours, compared: _compared, ...others } = prices
  return Object.keys(others)
}
