import { readFileSync } from 'node:fs'
import { appWith } from '../../test/infra/synthesized-app.ts'
import { costPage } from './page.ts'
import { readPrices } from './price-list.ts'

/** Returns the page for the committed settings of both stages. */
export function costOfStages(): string {
  const dev = appWith(settingsOf('dev'))
  const prod = appWith(settingsOf('prod'))
  const closed = appWith({ ...settingsOf('prod'), connectorEgress: 'endpoints' })
  const stages = [
    { name: 'dev', templates: dev.assembly },
    { name: 'prod with "connectorEgress": "endpoints"', templates: closed.assembly },
    { name: 'prod', templates: prod.assembly },
  ]
  return costPage(stages, readPrices())
}

function settingsOf(stage: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../../settings/${stage}.json`, import.meta.url), 'utf8'))
}
