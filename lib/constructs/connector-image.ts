import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileSystem } from 'aws-cdk-lib'
import { Platform } from 'aws-cdk-lib/aws-ecr-assets'
import { Repository } from 'aws-cdk-lib/aws-ecr'
import { ContainerImage } from 'aws-cdk-lib/aws-ecs'
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'

/**
 * Returns the image of the connector: the one of the settings, or one that the deployment builds from a folder with a
 * Dockerfile, on a base whose digest the settings may fix.
 */
export function connectorImage(
  scope: Construct,
  folder: string,
  { connectorImage: prebuilt, connectorBaseDigest: digest }: Pick<Settings, 'connectorImage' | 'connectorBaseDigest'>,
): ContainerImage {
  if (prebuilt !== '') return imageOfRepository(scope, prebuilt)
  return ContainerImage.fromAsset(folder, {
    platform: Platform.LINUX_ARM64,
    ...(digest !== '' && { buildArgs: { BASE: `${baseOf(folder)}@${digest}` } }),
  })
}

/** Returns what says which code an image has: its tag or digest, or a digest of the folder that it is built from. */
export function editionOf(prebuilt: string, folder: string): string {
  return prebuilt === '' ? FileSystem.fingerprint(folder).slice(0, 12) : (/[:@]([^/]+)$/.exec(prebuilt)?.[1] ?? '')
}

/** Through a repository and not by its address alone, so that the task may pull it. */
function imageOfRepository(scope: Construct, image: string): ContainerImage {
  const [, account, region, name, tagOrDigest = ''] =
    /^(\d+)\.dkr\.ecr\.([^.]+)\.amazonaws\.com\/([^:@]+)[:@](.+)$/.exec(image) ?? []
  const repository = Repository.fromRepositoryAttributes(scope, 'Image', {
    repositoryArn: `arn:aws:ecr:${region}:${account}:repository/${name}`,
    repositoryName: name ?? '',
  })
  return ContainerImage.fromEcrRepository(repository, tagOrDigest)
}

function baseOf(folder: string): string {
  const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8')
  const base = /^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1]
  if (base === undefined) throw new Error('the Dockerfile of the connector names no base')
  return base
}
