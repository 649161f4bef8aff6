import { expect, it } from 'vitest'
import { refuseOtherPartitions } from '../../lib/partition.ts'

it.each([
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
  ['us-iso-east-1', 'aws-iso'],
])('a deployment to %s is refused, because its partition is %s', (region, partition) => {
  expect(() => refuseOtherPartitions(region)).toThrow(
    `the region ${region} is in the partition ${partition}; only aws is supported`,
  )
})

it.each([undefined, '', 'eu-central-1', 'us-east-1', 'ap-southeast-2'])('the region "%s" is accepted', (region) => {
  expect(() => refuseOtherPartitions(region)).not.toThrow()
})
