import { execFile } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { type Account, AccountRefused } from './account.ts'
import type { StageNeeds } from './stage-needs.ts'

/** What a check found: nothing wrong, a problem with the command that mends it, or something to look at. */
export interface Finding {
  readonly state: 'ok' | 'FAIL' | 'note'
  readonly says: string
  /** A command, or what to do where there is none. */
  readonly mend?: string
}

/** Returns a finding as the command prints it. */
export function lineOf({ state, says, mend }: Finding): string {
  return `${state.padEnd(4)}  ${says}${mend === undefined ? '' : `\n      ${mend}`}`
}

type Check = (needs: StageNeeds, account: Account) => Promise<Finding>

const ok = (says: string): Finding => ({ state: 'ok', says })
const fail = (says: string, mend: string): Finding => ({ state: 'FAIL', says, mend })
const note = (says: string, mend: string): Finding => ({ state: 'note', says, mend })

/** Lambda keeps so many unreserved, whatever is reserved. */
const keptByLambda = 100

const checkBootstrap: Check = async ({ bootstrap, ...needs }, account) => {
  const mend = `npx cdk bootstrap -c stage=${needs.stage}`
  const value = z.object({ Parameter: z.object({ Value: z.coerce.number() }) })
  try {
    const { Parameter } = z.parse(
      value,
      await account.json('ssm', 'AmazonSSM.GetParameter', { Name: bootstrap.parameter }),
    )
    const found = `the bootstrap stack has version ${Parameter.Value}`
    return Parameter.Value >= bootstrap.version ? ok(found) : fail(`${found}, and ${bootstrap.version} is needed`, mend)
  } catch (error) {
    if (codeOf(error) !== 'ParameterNotFound') throw error
    return fail('the region was never prepared for the CDK', mend)
  }
}

const checkConcurrency: Check = async ({ reserved, fromQueues }, account) => {
  const limits = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) })
  const { AccountLimit } = z.parse(limits, await account.get('lambda', '/2016-08-19/account-settings/'))
  const needed = reserved + fromQueues + keptByLambda
  const says =
    `Lambda runs ${AccountLimit.ConcurrentExecutions} functions at once; the stage needs ${needed}: ` +
    `${reserved} reserved for engines, ${fromQueues} for queues, ${keptByLambda} for all others`
  return AccountLimit.ConcurrentExecutions >= needed ? ok(says) : fail(says, raise('lambda', 'L-B99A9384', needed))
}

const checkProcessors: Check = async ({ vcpus }, account) => {
  const quota = await quotaOf(account, 'fargate', 'L-3032A538')
  const says = `Fargate runs ${quota} vCPU; connectors need ${vcpus} during a deployment`
  return quota >= vcpus ? ok(says) : fail(says, raise('fargate', 'L-3032A538', vcpus))
}

const ec2Version = '2016-11-15'

async function countVpcs(account: Account, filter: Readonly<Record<string, string>> = {}): Promise<number> {
  const answer = await account.query('ec2', ec2Version, { Action: 'DescribeVpcs', ...filter })
  return answer.match(/<vpcId>/g)?.length ?? 0
}

const checkNetworks: Check = async ({ vpcs, stage }, account) => {
  const own = { 'Filter.1.Name': 'tag:callplane:stage', 'Filter.1.Value.1': stage }
  const [quota, all, ofStage] = await Promise.all([
    quotaOf(account, 'vpc', 'L-F678F1CE'),
    countVpcs(account),
    countVpcs(account, own),
  ])
  const needed = all - ofStage + vpcs
  const says = `the region may have ${quota} VPCs; with this stage it has ${needed}`
  return quota >= needed ? ok(says) : fail(says, raise('vpc', 'L-F678F1CE', needed))
}

const iamVersion = '2010-05-08'

const serviceRole =
  (role: string, service: string): Check =>
  async (_needs, account) => {
    try {
      await account.query('iam', iamVersion, { Action: 'GetRole', RoleName: role })
      return ok(`the account has the role ${role}`)
    } catch (error) {
      if (codeOf(error) !== 'NoSuchEntity') throw error
      const mend = `aws iam create-service-linked-role --aws-service-name ${service}`
      return fail(`the account lacks the role ${role}, without which a first deployment fails`, mend)
    }
  }

const checkImage: Check = async ({ image }, account) => {
  if (image === undefined) return checkDocker()
  const { registryId, repositoryName, imageTag, imageDigest } = image
  try {
    const imageIds = [imageTag === undefined ? { imageDigest } : { imageTag }]
    const target = 'AmazonEC2ContainerRegistry_V20150921.DescribeImages'
    await account.json('ecr', target, { registryId, repositoryName, imageIds })
    return ok(`the image of connectorImage is in ${repositoryName}`)
  } catch (error) {
    if (!/^(?:Image|Repository)NotFoundException$/.test(codeOf(error) ?? '')) throw error
    const push = `docker buildx build --platform linux/arm64 --push --tag <connectorImage> .build/bundles/connector`
    return fail(`${repositoryName} has no image ${imageTag ?? imageDigest}`, push)
  }
}

const dockerMs = 20_000

async function checkDocker(): Promise<Finding> {
  const program = process.env['CDK_DOCKER'] ?? 'docker'
  try {
    await promisify(execFile)(program, ['version'], { timeout: dockerMs })
    return ok(`${program} builds the image of the connector`)
  } catch {
    const mend = `${program} version; or build .build/bundles/connector elsewhere and set connectorImage`
    return fail(`${program} does not answer, and the image of the connector must be built`, mend)
  }
}

function checkEngine(host: string): Check {
  return async ({ engines, madeNames }) => {
    if (madeNames.includes(host)) return ok(`the deployment makes the name ${host}`)
    const address =
      isIP(host) > 0
        ? host
        : await lookup(host, { family: 4 }).then(
            (found) => found.address,
            () => undefined,
          )
    if (address === undefined) {
      const mend = 'aws route53 associate-vpc-with-hosted-zone (docs/deploy.md), or addresses of the setting engineVpc'
      return note(`${host} has no address here; the network of the connector must find one`, mend)
    }
    const admitted = new BlockList()
    for (const [network = '', prefix] of engines.networks.map((cidr) => cidr.split('/'))) {
      admitted.addSubnet(network, Number(prefix))
    }
    if (admitted.check(address)) return ok(`the engine ${host} is at ${address}`)
    const mend = `engineNetwork in settings/<stage>.local.json, which is ${engines.networks.join(', ')} now`
    return fail(`the engine ${host} is at ${address}, where the connector may not open a port`, mend)
  }
}

/** Compares the stage with its account, one check after the other, and hands over each finding as it comes. */
export async function* checkStage(needs: StageNeeds, account: Account): AsyncGenerator<Finding> {
  const place = await account.query('sts', '2011-06-15', { Action: 'GetCallerIdentity' })
  const found = /<Account>(\d{12})<\/Account>/.exec(place)?.[1] ?? 'unknown'
  const where = `account ${found}, region ${account.region}`
  if (needs.account !== undefined && needs.account !== found) {
    // Whatever is asked of another account says nothing about this stage.
    yield fail(`the credentials are of ${where}; the stage belongs to ${needs.account}`, 'export AWS_PROFILE=<profile>')
    return
  }
  const isBound = needs.account !== undefined && needs.region !== undefined
  const bind = `"account": "${found}", "region": "${account.region}" in settings/${needs.stage}.local.json`
  yield isBound ? ok(where) : note(`${where}: nothing ties the stage to them`, bind)
  const checks: Check[] = [
    checkBootstrap,
    checkConcurrency,
    checkProcessors,
    checkNetworks,
    serviceRole('AWSServiceRoleForECS', 'ecs.amazonaws.com'),
    ...(needs.searchInVpc
      ? [serviceRole('AWSServiceRoleForAmazonOpenSearchService', 'opensearchservice.amazonaws.com')]
      : []),
    checkImage,
    ...needs.engines.hosts.map(checkEngine),
  ]
  for (const check of checks) yield await check(needs, account).catch(unanswered)
}

/** A question that the credentials may not ask leaves the others: what it was about is not known. */
function unanswered(error: unknown): Finding {
  if (!(error instanceof AccountRefused)) throw error
  return note(`not known, because ${error.message}`, 'credentials that may read quotas, roles and parameters')
}

async function quotaOf(account: Account, service: string, code: string): Promise<number> {
  const target = 'ServiceQuotasV20190624.GetServiceQuota'
  const answer = await account.json('servicequotas', target, { ServiceCode: service, QuotaCode: code })
  return z.parse(z.object({ Quota: z.object({ Value: z.number() }) }), answer).Quota.Value
}

function raise(service: string, code: string, value: number): string {
  const quota = `--service-code ${service} --quota-code ${code} --desired-value ${value}`
  return `aws service-quotas request-service-quota-increase ${quota}`
}

function codeOf(error: unknown): string | undefined {
  return error instanceof AccountRefused ? error.code : undefined
}
