import { execFile } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { type Account, AccountRefused, codeOf } from './account.ts'
import { quotaOf, raise } from './quotas.ts'
import type { QuotaNeed, StageNeeds } from './stage-needs.ts'

/** What a check found: nothing wrong, a problem with the command that mends it, something to look at, or no answer. */
export interface Finding {
  readonly state: 'ok' | 'FAIL' | 'note' | 'open'
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

const versionOf = z.object({ Parameter: z.object({ Value: z.coerce.number() }) })

const checkBootstrap =
  (region: string | undefined): Check =>
  async ({ bootstrap: { version, parameter }, stage }, account) => {
    const where = region ?? account.region
    const mend = `npx cdk bootstrap -c stage=${stage}`
    const asked = account.json('ssm', 'AmazonSSM.GetParameter', { Name: parameter }, region).then((answer) => {
      const { Value } = z.parse(versionOf, answer).Parameter
      const found = `the bootstrap stack of ${where} has version ${Value}`
      return Value >= version ? ok(found) : fail(`${found}, and ${version} is needed`, mend)
    })
    return unlessAbsent(asked, fail(`the region ${where} was never prepared for the CDK`, mend))
  }

const limitsOf = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), UnreservedConcurrentExecutions: z.number() }),
})

const checkConcurrency: Check = async ({ reserved, fromQueues }, account) => {
  const { AccountLimit } = z.parse(limitsOf, await account.get('lambda', '/2016-08-19/account-settings/'))
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = AccountLimit
  const needed = reserved + fromQueues + keptByLambda
  const says =
    `Lambda runs ${limit} functions at once, ${limit - unreserved} of them reserved already; the stage needs ${needed}: ` +
    `${reserved} reserved for engines, ${fromQueues} for queues, ${keptByLambda} for all others`
  if (limit < needed) return fail(says, raise('lambda', 'L-B99A9384', needed))
  if (unreserved >= needed) return ok(says)
  const more = raise('lambda', 'L-B99A9384', needed + limit - unreserved)
  return note(says, `if another than this stage reserved them: ${more}`)
}

const checkQuota =
  ({ service, code, what, count }: QuotaNeed): Check =>
  async (_needs, account) => {
    const quota = await quotaOf(account, service, code)
    const says = `the account may have ${quota} ${what}; the stage needs ${count}`
    return quota >= count ? ok(says) : fail(says, raise(service, code, count))
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
  (_needs, account) => {
    const asked = account.query('iam', iamVersion, { Action: 'GetRole', RoleName: role })
    const mend = `aws iam create-service-linked-role --aws-service-name ${service}`
    const absent = fail(`the account lacks the role ${role}, without which a first deployment fails`, mend)
    return unlessAbsent(
      asked.then(() => ok(`the account has the role ${role}`)),
      absent,
    )
  }

const checkImage: Check = ({ image }, account) => {
  if (image === undefined) return checkDocker()
  const { registryId, repositoryName, imageTag, imageDigest } = image
  const imageIds = [imageTag === undefined ? { imageDigest } : { imageTag }]
  const target = 'AmazonEC2ContainerRegistry_V20150921.DescribeImages'
  const asked = account.json('ecr', target, { registryId, repositoryName, imageIds })
  const push = 'docker buildx build --platform linux/arm64 --push --tag <connectorImage> .build/bundles/connector'
  return unlessAbsent(
    asked.then(() => ok(`the image of connectorImage is in ${repositoryName}`)),
    fail(`${repositoryName} has no image ${imageTag ?? imageDigest}`, push),
  )
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
    const found = isIP(host) > 0 ? { address: host } : await lookup(host, { family: 4 }).catch(() => undefined)
    const address = found?.address
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
    ...needs.bootstrap.regions.map(checkBootstrap),
    checkConcurrency,
    ...needs.quotas.map(checkQuota),
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

/** A question that the account does not answer leaves the others: what it was about is not known. */
function unanswered(error: unknown): Finding {
  const isRefusal = error instanceof AccountRefused
  if (!isRefusal && !(error instanceof z.core.$ZodError)) throw error
  const says = `not known, because ${isRefusal ? error.message : 'the answer has no value'}`
  return { state: 'open', says, mend: 'credentials that may read quotas, roles and parameters' }
}

/** Returns what was found instead if AWS says that the thing asked for is not there. */
function unlessAbsent(asked: Promise<Finding>, absent: Finding): Promise<Finding> {
  return asked.catch((error: unknown) => {
    const isAbsent = /^(?:NoSuchEntity|(?:Parameter|Image|Repository)NotFound)(?:Exception)?$/.test(codeOf(error) ?? '')
    if (!isAbsent) throw error
    return absent
  })
}
