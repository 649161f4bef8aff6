import { describe, expect, test } from 'vitest'
import { getItem, putItem } from '../../../adapters/dynamodb/client.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { startCloudGate } from '../../support/stores/cloud-gate.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { opened } from '../../support/processes/opened.ts'

const Key = { pk: 'a', sk: 'b' }

const rawKey = { pk: { S: 'a' }, sk: { S: 'b' } }

describe('records in the store', () => {
  const rig = opened(async () => {
    const gate = await startCloudGate()
    return { gate, close: () => gate.close() }
  })

  test('each value in a stored record has the letter of its type', async () => {
    const values = { s: '', n: 1.5, b: true, z: null, y: new Uint8Array([1]), l: ['a'], m: { x: 1 } }

    expect(await stored(values)).toEqual({
      s: { S: '' },
      n: { N: '1.5' },
      b: { BOOL: true },
      z: { NULL: true },
      y: { B: 'AQ==' },
      l: { L: [{ S: 'a' }] },
      m: { M: { x: { N: '1' } } },
    })
  })

  test('fields without a value are left out of a stored record at every depth', async () => {
    expect(await stored({ a: undefined, b: { c: undefined, d: 1 } })).toEqual({ b: { M: { d: { N: '1' } } } })
  })

  test('numbers beyond 2^53 are stored and read as plain numbers', async () => {
    expect(await stored({ large: 2 ** 60 })).toEqual({ large: { N: String(2 ** 60) } })
    expect(await read({ large: { N: String(2 ** 60) } })).toEqual({ large: 2 ** 60 })
  })

  test('a stored record is read with the values that it was stored with', async () => {
    const values = { s: 'ü', n: -1, b: false, z: null, y: new Uint8Array([0, 255]), l: [{ x: [] }], m: {} }

    expect(await read(await stored(values))).toEqual(values)
  })

  test.each([{ constructor: 'x' }, { constructor: { name: 'Set' } }, [{ a: { constructor: undefined, b: [1] } }]])(
    'the record %j with a member called constructor is stored as any other',
    async (value) => {
      expect(await read(await stored({ value }))).toEqual({ value })
    },
  )

  test.each([Number.NaN, Number.POSITIVE_INFINITY, new Date(0), { constructor: new Date(0) }])(
    '%s is refused before it is sent',
    async (value) => {
      const { gate } = rig()
      gate.calls.length = 0

      await expect(stored({ value })).rejects.toMatchObject({ name: 'DomainError', code: 'internal_error' })

      expect(gate.calls).toEqual([])
    },
  )

  /** Stores fields and returns the form in which the store got them. */
  async function stored(fields: object): Promise<object> {
    const { gate } = rig()
    gate.answer = () => ({ status: 200, body: {} })
    await putItem(contextOf(gate.env), { TableName: 'table', Item: { ...Key, ...fields } })
    const {
      pk: _pk,
      sk: _sk,
      ...rest
    } = {
      ...(gate.calls.at(-1)?.input['Item'] as Record<string, unknown> | undefined),
    }
    return rest
  }

  /** Reads a record that the store holds in this form. */
  async function read(fields: object): Promise<object> {
    const { gate } = rig()
    gate.answer = () => ({ status: 200, body: { Item: { ...rawKey, ...fields } } })
    const { pk: _pk, sk: _sk, ...rest } = { ...(await getItem(contextOf(gate.env), 'table', Key)) }
    return rest
  }
})

function contextOf(env: Readonly<Record<string, string>>) {
  return { env, clock: movableClock(), random: systemRandomness }
}
