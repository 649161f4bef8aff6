import { expect, test } from 'vitest'
import { aggregationsDsl } from '../../../adapters/opensearch/aggregation-dsl.ts'

test('distinct values are counted less exactly when there are more buckets, since each bucket uses memory', () => {
  const different = { kind: 'cardinality', field: 'gateway' } as const
  const terms = { kind: 'terms', field: 'uuid', size: 1000, leastCount: 1 } as const
  const inner = { ...terms, within: { different } }

  const dsl = aggregationsDsl({ different, terms: { ...terms, within: { different, inner } } })

  const counted = (precise: number) => ({ cardinality: { field: 'gateway', precision_threshold: precise } })
  expect(dsl).toMatchObject({
    different: counted(40_000),
    terms: { aggs: { different: counted(1000), inner: { aggs: { different: counted(100) } } } },
  })
})
