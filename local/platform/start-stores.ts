import { queues } from '../../contracts/resources.ts'
import {
  type Assembly,
  type Backends,
  type ChooseProgramDeps,
  type Queue,
  type QueueStore,
  chooseProgram,
  connectDynamo,
  connectSqs,
  createTables,
  forwardObjects,
  keysBackend,
  objectStore,
  secretsBackend,
  signerFrom,
  startDynamo,
  startEmbeddedSqs,
} from '@callplane/laptop'
import type { DataFolder } from '../data/data-folder.ts'
import type { KeptSecrets } from '../data/kept-secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { connectSearch } from '../stores/search/forward-search.ts'
import { startEmbeddedSearch } from '../stores/search/search-store.ts'
import { inSmallerGroups } from './message-groups.ts'
import { secretValues } from './secret-values.ts'

/** The stores of a run. */
export interface RunningStores {
  readonly backends: Backends
  /** The run of the embedded queues; `undefined` if `SQS_ENDPOINT` names others. */
  readonly queues: QueueStore['run']
  /** The addresses of stores that hooks must not reach. */
  readonly urls: readonly string[]
}

/** Starts every store, embedded or at the address that the settings give. What was started closes with `closing`. */
export async function startStores(
  assembly: Assembly,
  options: {
    readonly settings: Settings
    readonly folder: DataFolder
    readonly kept: KeptSecrets
    readonly programs: ChooseProgramDeps
    readonly closing: AsyncDisposableStack
  },
): Promise<RunningStores> {
  const { settings, folder, kept, programs, closing } = options
  const signer = signerFrom(process.env)
  // All are waited for even when one fails, so that whatever was started is known to `closing`.
  const [dynamodb, sqs, search] = await Promise.allSettled([
    settings.dynamodbEndpoint === undefined
      ? chooseProgram(folder, programs).then((program) => startDynamo(program, folder.file('logs/dynamodb.log')))
      : connectDynamo(settings.dynamodbEndpoint, signer, 'DYNAMODB_ENDPOINT'),
    settings.sqsEndpoint === undefined
      ? startEmbeddedSqs(assembly.queues, { folder, keeps: keptQueues(assembly) }, inSmallerGroups)
      : connectSqs(settings.sqsEndpoint, signer, assembly.queues, 'SQS_ENDPOINT'),
    settings.openSearchUrl === undefined
      ? startEmbeddedSearch(folder.file('search.sqlite'))
      : connectSearch(settings.openSearchUrl, signer),
  ])
  for (const store of [dynamodb, sqs, search])
    if (store.status === 'fulfilled') closing.defer(() => store.value.close())
  if (dynamodb.status === 'rejected') throw dynamodb.reason
  if (sqs.status === 'rejected') throw sqs.reason
  if (search.status === 'rejected') throw search.reason
  await createTables(dynamodb.value.backend, assembly.tables)
  const [domain] = assembly.searchDomains
  const buckets = new Set(assembly.buckets.map(({ name }) => name))
  const backends: Backends = {
    dynamodb: dynamodb.value.backend,
    sqs: sqs.value.backend,
    secretsmanager: secretsBackend(
      secretValues(assembly, { root: kept.rootPassword, engine: kept.engineCredential, cursor: kept.cursorKey }),
      kept.sealingKey,
    ),
    kms: keysBackend(assembly.keys, kept.sealingKey),
    s3:
      settings.s3Endpoint === undefined
        ? objectStore(folder.file('objects'), buckets)
        : forwardObjects(settings.s3Endpoint, signer),
    es: domain && { domainArn: domain.arn, answer: (request) => search.value.answer(request) },
  }
  const { dynamodbEndpoint, sqsEndpoint, s3Endpoint, openSearchUrl } = settings
  const urls = [dynamodb.value.url, dynamodbEndpoint, sqsEndpoint, s3Endpoint, openSearchUrl]
  return { backends, queues: sqs.value.run, urls: urls.filter((url) => url !== undefined) }
}

/**
 * Returns the queues whose messages outlive an orderly stop. Deliveries and clean-ups are found in the store at the
 * next start, and no caller waits for a command any more.
 */
function keptQueues({ functions }: Pick<Assembly, 'functions'>): (queue: Queue) => boolean {
  const variables = [queues.commands, queues.deliveries, queues.cleanups].map(({ variable }) => variable)
  const left = new Set(functions.flatMap(({ environment }) => variables.map((variable) => environment[variable])))
  return ({ url }) => !left.has(url)
}
