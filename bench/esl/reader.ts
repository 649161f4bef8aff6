/** The subset of the connector's client that the benchmarks use. */
export { EslCommand } from '../../packages/esl/command.ts'
export { EslConnection } from '../../packages/esl/connection.ts'
export { EslError } from '../../packages/esl/errors.ts'
export { defaultEslLimits } from '../../packages/esl/options.ts'
export { systemEslTimers } from '../../packages/esl/timers.ts'
