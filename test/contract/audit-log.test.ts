import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { queryAll, tableName } from '../../adapters/dynamodb/client.ts'
import { dynamoAuditLog } from '../../adapters/dynamodb/dynamo-audit-log.ts'
import { under } from '../../adapters/dynamodb/items.ts'
import { joinKey } from '../../adapters/dynamodb/key.ts'
import { memoryPorts } from '../../adapters/memory/memory-ports.ts'
import type { AuditLog, AuditRecord } from '../../core/ports.ts'
import { startDynamoServer } from '../support/dynamo-server.ts'
import { movableClock } from '../support/movable-clock.ts'
import { opened } from '../support/opened.ts'

interface Rig {
  readonly audit: AuditLog
  /** The lines of a domain, in the order that they are kept in. */
  lines(domain: string): Promise<unknown[]>
  close(): Promise<void>
}

const kinds: readonly { readonly name: string; readonly open: () => Promise<Rig> }[] = [
  {
    name: 'memory',
    open: async () => {
      const { audit, state } = memoryPorts({ clock: movableClock(), random: systemRandomness })
      return {
        audit,
        lines: async (domain) => state.audit.filter((line) => line.domain === domain),
        close: async () => {},
      }
    },
  },
  {
    name: 'DynamoDB',
    open: async () => {
      const server = await startDynamoServer()
      const context = { env: server.env, clock: movableClock(), random: systemRandomness }
      return {
        audit: dynamoAuditLog(context),
        lines: (domain) => queryAll(context, { TableName: tableName(context, 'audit'), ...under(joinKey(domain)) }),
        close: () => server.close(),
      }
    },
  },
]

const aLine = (given: Partial<AuditRecord> = {}): AuditRecord => ({
  at: 1_768_478_400_000,
  requestId: 'request-1',
  caller: '1000@a.example.com',
  domain: 'a.example.com',
  sourceAddress: '192.0.2.1',
  method: 'POST',
  path: '/api/v2/accounts',
  status: 200,
  fields: ['password', 'role'],
  ...given,
})

describe.each(kinds)('the audit trail in $name', (kind) => {
  const rig = opened(kind.open)

  test('a line is kept as it was, under its domain; one without a domain too', async () => {
    await rig().audit.append(aLine())
    await rig().audit.append(aLine({ domain: '', caller: 'root' }))

    expect(await rig().lines('a.example.com')).toMatchObject([aLine()])
    expect(await rig().lines('')).toMatchObject([aLine({ domain: '', caller: 'root' })])
  })

  test('two lines that are the same are two lines', async () => {
    const line = aLine({ domain: 'same.test' })

    await Promise.all([rig().audit.append(line), rig().audit.append(line)])

    expect(await rig().lines('same.test')).toHaveLength(2)
  })

  test('lines are kept in the order of time', async () => {
    for (const at of [999, 1000, 10_000]) await rig().audit.append(aLine({ domain: 'order.test', at }))

    expect(await rig().lines('order.test')).toMatchObject([{ at: 999 }, { at: 1000 }, { at: 10_000 }])
  })
})
