/** Runs a synthesized CDK assembly on a laptop, with its IAM policies enforced. */
export type {
  Assembly,
  Container,
  CrossOrigin,
  EventSourceMapping,
  LambdaFunction,
  Queue,
} from './assembly/assembly.ts'
export { type Place, laptop } from './assembly/place.ts'
export { readAssembly } from './assembly/read-assembly.ts'
export type { Environment } from './functions/function-environment.ts'
export type { FunctionHost } from './functions/function-host.ts'
export { FunctionHosts } from './functions/function-hosts.ts'
export type { SearchReply, SearchRequest } from './gate/backend.ts'
export { type Backends, Gate } from './gate/gate.ts'
export type { RouteTraits } from './gateway/admission.ts'
export type { Refuse } from './gateway/failure-reply.ts'
export { Gateway } from './gateway/gateway.ts'
export { RouteTable } from './gateway/route-table.ts'
export { freePort } from './processes/free-port.ts'
export { explainListenError } from './processes/listen.ts'
export { openLog } from './processes/log-file.ts'
export { PlainError } from './processes/plain-error.ts'
export { type Run, Supervised, type SupervisedOptions } from './processes/supervised.ts'
export { endOf, signalGroup, startTiedProgram } from './processes/tied-program.ts'
export type { ReceivedMessage } from './queues/received-message.ts'
export { type BatchesAtOnce, maxConcurrency, startMappings } from './queues/start-mappings.ts'
export { RepeatedCall } from './schedules/repeated-call.ts'
export { startSchedules } from './schedules/start-schedules.ts'
export type { Credential } from './signature/credential.ts'
export { type Signer, signHeaders } from './signature/sign.ts'
export { type ChooseProgramDeps, chooseProgram, programsFor } from './stores/dynamo-program/choose-program.ts'
export { type Machine, thisMachine } from './stores/dynamo-program/dynoxide.ts'
export { connectDynamo, createTables, signerFrom, startDynamo } from './stores/dynamodb.ts'
export { keysBackend } from './stores/keys.ts'
export { forwardObjects } from './stores/objects/forward-objects.ts'
export { objectStore } from './stores/objects/object-store.ts'
export type { QueueRun } from './stores/queue-run.ts'
export { secretText, secretsBackend } from './stores/secrets.ts'
export { type QueueStore, connectSqs, startEmbeddedSqs } from './stores/sqs.ts'
