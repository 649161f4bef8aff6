import { Fn, Stack } from 'aws-cdk-lib'

const most = 3

/**
 * A stack whose networks take the zones of its region by their position, as CloudFormation finds them. Bound to an
 * account and region, a stack would otherwise ask AWS for them at synthesis, which needs no account here.
 */
export class ZonedStack extends Stack {
  override get availabilityZones(): string[] {
    return Array.from({ length: most }, (_, index) => Fn.select(index, Fn.getAzs()))
  }
}
