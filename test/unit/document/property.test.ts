import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalForm } from '../../../cli/document/normal-form.ts'
import { parseDocument } from '../../../cli/document/parse-document.ts'
import { makePlan } from '../../../cli/document/plan.ts'
import { masked } from '../../../cli/document/secrets.ts'
import { writeDocument } from '../../../cli/document/write-document.ts'
import { aDomainInMemory, domains } from './domains.ts'
import { breadth } from '../../support/breadth.ts'

const normal = (state: Parameters<typeof masked>[0], now: number) => masked(normalForm(state, now))

it('a written document is read back as the same domain', () => {
  fc.assert(
    fc.property(domains, (state) => {
      const exported = normal(state, 0)

      expect(normal({ ...exported, ...parseDocument(writeDocument(exported), 'x.yaml') }, 0)).toEqual(exported)
    }),
    { numRuns: breadth(50, 200) },
  )
})

it('a domain that a plan changed is exported as its document says, and a second plan is empty', async () => {
  await fc.assert(
    fc.asyncProperty(domains, domains, async (a, b) => {
      const { api, apply, read } = await aDomainInMemory()
      await apply(a)

      await apply(b)

      const now = api.clock.now()
      const exported = await read()
      expect(writeDocument(exported)).toBe(writeDocument(normal(b, now)))
      expect(makePlan(exported, b, now).steps).toEqual([])
      expect(makePlan(exported, parseDocument(writeDocument(exported), 'x.yaml'), now).steps).toEqual([])
    }),
    { numRuns: breadth(3, 12) },
  )
}, 120_000)
