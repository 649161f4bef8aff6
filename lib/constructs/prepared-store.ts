import { createHash } from 'node:crypto'
import { CfnOutput, CustomResource, Duration, Token } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Preparation } from '../../contracts/preparations.ts'
import { environment } from '../../contracts/environment.ts'
import { handlerOf } from '../handlers.ts'
import { environmentOf } from './grants.ts'
import { type FunctionDefaults, PlatformFunction } from './platform-function.ts'

/**
 * One declared preparation: its function, and the resource that makes a deployment call it: at creation, when what it
 * prepares has changed, and, as another resource, for another store. Whatever depends on this construct is created
 * after the store is ready. A later call that fails holds up no deployment: the function is called each hour as well.
 */
export class PreparedStore extends Construct {
  readonly logGroup: ILogGroup

  constructor(
    scope: Construct,
    id: string,
    { preparation, ...defaults }: FunctionDefaults & { readonly preparation: Preparation },
  ) {
    super(scope, id)
    const { function: called, logGroup } = new PlatformFunction(this, 'Handler', {
      ...defaults,
      handler: handlerOf(preparation.group, preparation.name),
      summary: preparation.summary,
      needs: preparation.needs,
      memoryMb: 512,
      timeoutSeconds: preparation.timeoutSeconds,
    })
    this.logGroup = logGroup
    const stores = environmentOf(preparation.needs, defaults.resources)
    const place = defaults.resources.searchNetwork === undefined ? '' : 'Vpc'
    new CustomResource(this, `Call${takenUp(stores)}${place}`, {
      serviceToken: called.functionArn,
      resourceType: 'Custom::Preparation',
      serviceTimeout: Duration.seconds(preparation.timeoutSeconds + 60),
      properties: {
        Edition: preparation.edition,
        // Left out where the size of the store gives one shard.
        Shards: defaults.environment[environment.cdrShards],
        Stores: stores,
      },
    })
    new CfnOutput(this, 'Function', {
      value: called.functionName,
      description: 'Prepares a store, at each call',
    }).overrideLogicalId(`${id}Function`)
    const every = Duration.hours(1)
    new Rule(this, 'Again', {
      description: preparation.summary,
      schedule: Schedule.rate(every),
      targets: [new LambdaFunction(called, { retryAttempts: 0, maxEventAge: every })],
    })
  }
}

/** Returns a name of stores that are taken up. Of those that the deployment makes, none is known yet: it is empty. */
function takenUp(stores: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(stores)
  return Token.isUnresolved(text) ? '' : createHash('sha256').update(text).digest('hex').slice(0, 8)
}
