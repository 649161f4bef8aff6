import { RegionInfo } from 'aws-cdk-lib/region-info'

/** The only partition whose names, prices and services the platform was made for. */
const supported = 'aws'

/**
 * Refuses a region outside the partition `aws` (China, GovCloud, isolated and sovereign regions), whose names of
 * services and ARNs differ. A region that this version of the CDK does not know is accepted, and so is none: synthesis
 * needs no account.
 */
export function refuseOtherPartitions(region: string | undefined): void {
  const partition = otherPartition(region)
  if (partition === undefined) return
  throw new Error(`the region ${region} is in the partition ${partition}; only ${supported} is supported`)
}

/** Returns the partition of a region, if it is known and not the supported one. */
export function otherPartition(region: string | undefined): string | undefined {
  const partition = region === undefined || region === '' ? undefined : RegionInfo.get(region).partition
  return partition === supported ? undefined : partition
}
