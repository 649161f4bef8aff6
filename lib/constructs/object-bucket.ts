import { Duration, Validations } from 'aws-cdk-lib'
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type CorsRule,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { BucketSpec } from '../../contracts/resources.ts'
import { cors, linkCors } from '../../contracts/routes/cors.ts'
import { reachesInside } from '../rule-pack.ts'
import { retained } from './retained.ts'

const guarded: BucketProps = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  removalPolicy: retained,
}

/** The inputs of a bucket. */
export interface ObjectBucketProps {
  readonly spec: BucketSpec
  readonly allowedOrigins: readonly string[]
  /** The name of the bucket that its objects are copied to, and of the copy itself. Both have versions then. */
  readonly copiedTo?: string
  readonly name?: string
}

/**
 * A bucket of tenants' files. Not versioned: an object that its owner deletes must be gone, and no key is written
 * twice. Where an operator enables versions, which Object Lock requires, the version that a deletion hides stays for a
 * day, or while it is under a legal hold. Without a copy in another region the template names neither: CloudFormation
 * would suspend versions when a setting no longer asked for them, and S3 refuses that once Object Lock is enabled.
 * Every read and write is logged to a second bucket, because a signed link is used without the service's knowledge.
 */
export class ObjectBucket extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string, { spec, allowedOrigins, copiedTo, name }: ObjectBucketProps) {
    super(scope, id)
    const { keptDays, isLinked = false } = spec
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...guarded,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    })
    this.bucket = new Bucket(this, 'Objects', {
      ...guarded,
      serverAccessLogsBucket: accessLogs,
      ...(copiedTo !== undefined && {
        versioned: true,
        replicationRules: [
          {
            destination: Bucket.fromBucketName(this, 'Copy', copiedTo),
            priority: 1,
            // What its owner deletes must be gone in both.
            deleteMarkerReplication: true,
          },
        ],
      }),
      // A lock of the original comes along only if the copy can have locks.
      ...(name !== undefined && { bucketName: name, versioned: true, objectLockEnabled: true }),
      ...(isLinked && allowedOrigins.length > 0 && { cors: [pagesOf(allowedOrigins)] }),
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(7) },
        ...(keptDays === undefined ? [] : [{ expiration: Duration.days(keptDays) }]),
        { noncurrentVersionExpiration: Duration.days(1), expiredObjectDeleteMarker: true },
      ],
    })
    if (copiedTo !== undefined) this.letLocksBeCopied(this.bucket)
    // A kept bucket keeps its policy: it still refuses unencrypted calls, and its accesses can still be logged.
    for (const { policy } of [this.bucket, accessLogs]) policy?.applyRemovalPolicy(retained)
  }

  /** The role of the replication, as the CDK makes it, reads no locks. */
  private letLocksBeCopied({ bucketArn }: Bucket): void {
    const role = this.bucket.node.findChild('ReplicationRole')
    if (!(role instanceof Role)) throw new TypeError('the bucket has no role for its replication')
    role.addToPolicy(
      new PolicyStatement({
        actions: ['s3:GetObjectRetention', 's3:GetObjectLegalHold'],
        resources: [`${bucketArn}/*`],
      }),
    )
    Validations.of(role).acknowledge({ id: reachesInside, reason: 'Every object is copied.' })
  }
}

function pagesOf(origins: readonly string[]): CorsRule {
  return {
    allowedOrigins: [...origins],
    allowedMethods: [HttpMethods.GET, HttpMethods.HEAD],
    allowedHeaders: [...linkCors.requestHeaders],
    exposedHeaders: [...linkCors.exposedHeaders],
    maxAge: cors.maxAgeSeconds,
  }
}
