/** The subset of the connector's client that the benchmarks use. */
export { EslCommand } from '../../connector/esl/command.ts'
export { EslConnection } from '../../connector/esl/connection.ts'
export { EslError } from '../../connector/esl/errors.ts'
export { defaultEslLimits } from '../../connector/esl/options.ts'
export { systemEslTimers } from '../../connector/esl/timers.ts'
