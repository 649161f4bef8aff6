import type { AdapterContext } from '../context.ts'

/** The system attribute by which Lambda continues a trace of X-Ray with the function that takes a message. */
interface TraceHeader {
  readonly AWSTraceHeader: { readonly DataType: 'String'; readonly StringValue: string }
}

/** The parts of a header that a trace needs; Lambda adds others. */
const parts = /^(?:Root=1-[0-9a-f]{8}-[0-9a-f]{24}|Parent=[0-9a-f]{16}|Sampled=1)$/

/**
 * Returns the attribute of messages that belong to the trace of the invocation under way, whose name Lambda gives the
 * process in `_X_AMZN_TRACE_ID`. Where there is none, or X-Ray does not record it, there is no attribute.
 */
export function traceHeader({ env }: Pick<AdapterContext, 'env'>): {
  readonly MessageSystemAttributes?: TraceHeader & Record<string, TraceHeader['AWSTraceHeader']>
} {
  const known = (env['_X_AMZN_TRACE_ID'] ?? '').split(';').filter((part) => parts.test(part))
  const isRecorded = known.includes('Sampled=1') && known.some((part) => part.startsWith('Root='))
  if (!isRecorded) return {}
  return { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: known.join(';') } } }
}
