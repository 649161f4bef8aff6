import { expect, test } from 'vitest'
import { traceHeader } from '../../../adapters/sqs/client.ts'

const [root, parent] = ['Root=1-5759e988-bd862e3fe1be46a994272793', 'Parent=53995c3f42cd8ad8']
const headerOf = (id?: string) =>
  traceHeader({ env: id === undefined ? {} : { _X_AMZN_TRACE_ID: id } }).MessageSystemAttributes?.AWSTraceHeader

test('a queue message carries the trace of the invocation that X-Ray records, without the fields that Lambda appends', () => {
  const given = `${root};${parent};Sampled=1;Lineage=a87bd80c:1|68fd508a:5`

  expect(headerOf(given)).toEqual({ DataType: 'String', StringValue: `${root};${parent};Sampled=1` })
})

test.each([
  ['there is no trace', undefined],
  ['the trace has no name', ''],
  ['the trace is not recorded', `${root};${parent};Sampled=0`],
  ['nothing says that the trace is recorded', root],
  ['the name is no trace', 'Sampled=1;Root=1-5759e988-bd862e3fe1be46a994272793x'],
])('messages carry no trace where %s', (_where, id) => {
  expect(headerOf(id)).toBeUndefined()
})
