import { writeFileSync } from 'node:fs'
import { takeNoOptions } from '../../local/toolchain.mjs'
import { costOfStages } from './stages.ts'

takeNoOptions('npm run cost', 'Writes docs/cost.md from the templates and bench/cost/prices.json. Takes no options.')
writeFileSync(new URL('../../docs/cost.md', import.meta.url), costOfStages())
