import { Duration } from 'aws-cdk-lib'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership, type BucketProps } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { BucketSpec } from '../../contracts/resources.ts'
import { retained } from './retained.ts'

const guarded: BucketProps = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  removalPolicy: retained,
}

/**
 * A bucket of tenants' files. Not versioned: an object that its owner deletes must be gone, and no key is written twice.
 * Every read and write is logged to a second bucket, because a signed link is used without the service's knowledge.
 */
export class ObjectBucket extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string, { keptDays }: BucketSpec) {
    super(scope, id)
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...guarded,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    })
    this.bucket = new Bucket(this, 'Objects', {
      ...guarded,
      versioned: false,
      serverAccessLogsBucket: accessLogs,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(7) },
        ...(keptDays === undefined ? [] : [{ expiration: Duration.days(keptDays) }]),
      ],
    })
  }
}
