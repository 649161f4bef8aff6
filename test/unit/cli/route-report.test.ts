import { expect, it } from 'vitest'
import { CallplaneError } from '../../../client/index.ts'
import { reportRoutes } from '../../../cli/deploy/route-report.ts'
import type { Target } from '../../../cli/deploy/read-domain.ts'

/** The simulation takes numbers of up to 64 characters, as the platform's does; CDRs have longer ones. */
function aDomain(numbers: readonly string[]): Target {
  const client = {
    async *cdrs() {
      for (const [index, number] of numbers.entries()) {
        const fields = {
          destination_number: [number],
          direction: ['inbound'],
          created_time: ['2026-01-15T10:00:00.000Z'],
        }
        yield { _id: `call-${index}`, fields }
      }
    },
    async *pages() {
      yield { data: [{ name: 'trunk', enabled: true }] }
    },
    async call(_operation: string, { body }: { body: { number: string; routes?: unknown } }) {
      if (body.number.length > 64) throw refusal('number')
      if (body.number === '999' && body.routes !== undefined) throw refusal('routes[0].callflow')
      return { data: { matched: { kind: 'none' }, steps: [], end: { cause: body.routes === undefined ? 'A' : 'B' } } }
    },
  }
  return {
    client: client as unknown as Target['client'],
    domain: 'a.example.com',
    signal: new AbortController().signal,
  }
}

const refusal = (field: string) => new CallplaneError(`${field} is refused`, { status: 400, code: 'invalid_field' })

it('a call whose number the simulation refuses is left out and counted, and the others are reported', async () => {
  const report = await reportRoutes(aDomain(['4'.repeat(65), '4930123456']), { public: [] })

  expect(report).toMatchObject({ calls: 2, unplaced: 1, moved: [{ number: '4930123456', count: 1 }] })
})

it('a report on routes ends with the reason if the routes are refused', async () => {
  await expect(reportRoutes(aDomain(['999']), { public: [] })).rejects.toThrow('routes[0].callflow is refused')
})
