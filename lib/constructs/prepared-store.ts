import { CustomResource, Duration, FileSystem } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import type { Preparation } from '../../contracts/preparations.ts'
import { environment } from '../../contracts/environment.ts'
import { functionFolder, handlerOf } from '../handlers.ts'
import { environmentOf } from './grants.ts'
import { type FunctionDefaults, PlatformFunction } from './platform-function.ts'

/**
 * One declared preparation: its function, and the resource that makes a deployment call it, first at creation and then
 * whenever its code changes or it gets another store. Whatever depends on this construct is created after the store is
 * ready.
 */
export class PreparedStore extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { preparation, ...defaults }: FunctionDefaults & { readonly preparation: Preparation },
  ) {
    super(scope, id)
    const handler = handlerOf(preparation.group, preparation.name)
    const called = new PlatformFunction(this, 'Handler', {
      ...defaults,
      handler,
      summary: preparation.summary,
      needs: preparation.needs,
      memoryMb: 512,
      timeoutSeconds: preparation.timeoutSeconds,
    })
    new CustomResource(this, 'Call', {
      serviceToken: called.function.functionArn,
      resourceType: 'Custom::Preparation',
      serviceTimeout: Duration.seconds(preparation.timeoutSeconds + 60),
      properties: {
        Edition: FileSystem.fingerprint(functionFolder(defaults.build, handler)),
        // Left out where the size of the store gives one shard.
        Shards: defaults.environment[environment.cdrShards],
        // Another store is not prepared yet, whether it was made anew or taken up.
        Stores: environmentOf(preparation.needs, defaults.resources),
      },
    })
  }
}
