import { writeFileSync } from 'node:fs'
import { takeNoOptions } from '../../local/toolchain.mjs'
import { readPrices } from './price-list.ts'
import { scalePage } from './scale-page.ts'
import { costOfStages } from './stages.ts'

takeNoOptions(
  'npm run cost',
  'Writes docs/cost.md from the templates and bench/cost/prices.json, and docs/scale.md from the settings of prod. Takes no options.',
)
writeFileSync(new URL('../../docs/cost.md', import.meta.url), costOfStages())
writeFileSync(new URL('../../docs/scale.md', import.meta.url), scalePage(readPrices()))
