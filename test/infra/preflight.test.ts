import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it, vi } from 'vitest'
import { routes } from '../../contracts/routes/index.ts'
import { openAccount } from '../../local/preflight/account.ts'
import { checkStage, lineOf } from '../../local/preflight/checks.ts'
import { readStageNeeds } from '../../local/preflight/stage-needs.ts'
import { appWith } from './synthesized-app.ts'

const account = '123456789012'
const engines = { engineHost: '127.0.0.1,fs2.example.invalid', engineNetwork: '127.0.0.0/8', zones: 1 }
const stage = appWith({ ...engines, stage: 'prod', engineConcurrency: 30, account, region: 'eu-central-1' })

/** A stage that is bound to no account, has what others lack, and whose engine is outside of its network. */
const other = appWith({
  stage: 'prod',
  engineHost: '127.0.0.1',
  engineNetwork: '10.20.0.0/16',
  zones: 1,
  connectorImage: `${account}.dkr.ecr.eu-central-1.amazonaws.com/telephony/connector:1.2.3`,
  searchAccess: 'vpc',
})

/** A stage with copies in another region, whose stack stands before the others in the assembly. */
const replicated = appWith({ ...engines, stage: 'prod', account, region: 'eu-central-1', replicaRegion: 'eu-west-3' })

/** What a service of AWS answers: a body, or the code of a refusal. */
type Answer = string | { readonly refused: string }

/** An account that has all that the stage needs. Its keys are those of operations. */
const ready: Readonly<Record<string, Answer>> = {
  GetCallerIdentity: `<GetCallerIdentityResponse><Account>${account}</Account></GetCallerIdentityResponse>`,
  'AmazonSSM.GetParameter': '{"Parameter":{"Name":"/cdk-bootstrap/hnb659fds/version","Value":"30"}}',
  '/2016-08-19/account-settings/':
    '{"AccountLimit":{"ConcurrentExecutions":1000,"UnreservedConcurrentExecutions":1000}}',
  'L-3032A538': '{"Quota":{"Value":6}}',
  'L-0485CB21': '{"Quota":{"Value":2000}}',
  'L-FE177D64': '{"Quota":{"Value":1000}}',
  'L-29B6F2EB': '{"Quota":{"Value":50}}',
  'L-6408ABDE': '{"Quota":{"Value":80}}',
  'L-F678F1CE': '{"Quota":{"Value":5}}',
  DescribeVpcs: '<vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet>',
  'DescribeVpcs of the stage': '<vpcSet/>',
  AWSServiceRoleForECS: '<Role/>',
  AWSServiceRoleForAmazonOpenSearchService: '<Role/>',
  'AmazonEC2ContainerRegistry_V20150921.DescribeImages': '{"imageDetails":[{}]}',
}

const closing: (() => void)[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) close()
})

function operationOf(request: IncomingMessage, body: string): string {
  const target = request.headers['x-amz-target']
  const form = new URLSearchParams(body)
  if (request.method === 'GET') return String(request.url)
  if (target === undefined) {
    const isOfStage = form.get('Filter.1.Value.1') === 'prod'
    return form.get('RoleName') ?? `${form.get('Action')}${isOfStage ? ' of the stage' : ''}`
  }
  const isDefault = String(target).endsWith('.GetAWSDefaultServiceQuota')
  const quota = JSON.parse(body).QuotaCode
  return quota === undefined ? String(target) : `${quota}${isDefault ? ' by default' : ''}`
}

/** Starts the services of an account on one address, which checks that each question is signed for its service. */
async function anAccount(answers: Readonly<Record<string, Answer>>) {
  const signedFor = new Set<string>()
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const scope = /Credential=[^/]+\/\d{8}\/([a-z0-9-]+\/[a-z0-9]+)\//.exec(request.headers.authorization ?? '')?.[1]
    signedFor.add(scope ?? 'unsigned')
    const answer = answers[operationOf(request, body)] ?? { refused: 'AccessDenied' }
    const isJson = request.headers['x-amz-target'] !== undefined
    if (typeof answer === 'string') response.end(answer)
    else if (isJson) response.writeHead(400).end(JSON.stringify({ __type: `service#${answer.refused}` }))
    else response.writeHead(400).end(`<Error><Code>${answer.refused}</Code></Error>`)
  }
  const server = createServer((request, response) => void answerTo(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, signedFor }
}

const environment = (url: string, docker: string) => ({
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL: url,
  CDK_DOCKER: docker,
})

/** Compares a stage with an account that is ready but for the given answers; returns what the command would print. */
async function preflight(given: Readonly<Record<string, Answer>>, { folder = stage.folder, docker = 'true' } = {}) {
  const { url, signedFor } = await anAccount({ ...ready, ...given })
  for (const [name, value] of Object.entries(environment(url, docker))) vi.stubEnv(name, value)
  const needs = readStageNeeds(folder)
  const lines: string[] = []
  for await (const finding of checkStage(needs, await openAccount(needs.region))) lines.push(lineOf(finding))
  return { out: `${lines.join('\n')}\n`, signedFor }
}

/** Runs the command itself. */
async function run(words: readonly string[], given: Readonly<Record<string, Answer>> = {}) {
  const { url } = await anAccount({ ...ready, ...given })
  const env = { PATH: process.env['PATH'], ...environment(url, 'true') }
  return new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    execFile(process.execPath, ['local/preflight.ts', ...words], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

it('the needs of a stage are computed from its templates', () => {
  const ofEngines = routes.filter(({ path }) => path.startsWith('/engine/')).length

  expect(readStageNeeds(stage.folder)).toMatchObject({
    stage: 'prod',
    account,
    region: 'eu-central-1',
    reserved: ofEngines * 30,
    vpcs: 1,
    searchInVpc: false,
    engines: { hosts: ['127.0.0.1', 'fs2.example.invalid'], networks: ['127.0.0.0/8'] },
    image: undefined,
  })
  expect(readStageNeeds(stage.folder).bootstrap).toEqual({
    version: 6,
    parameter: '/cdk-bootstrap/hnb659fds/version',
    regions: ['eu-central-1'],
  })
  expect(readStageNeeds(stage.folder).fromQueues).toBeGreaterThan(100)
})

it('the quotas of a stage are those of its processors, stacks, roles, endpoints and nodes', () => {
  const cheap = appWith({ ...engines, stage: 'prod', connectorEgress: 'publicAddress', searchInstances: 1 })
  const counts = (folder: string) =>
    Object.fromEntries(readStageNeeds(folder).quotas.map((need) => [need.code, need.count]))
  const stacks = stage.assembly.stacks.length
  const roles = stage.assembly.ofType('AWS::IAM::Role').length

  expect(counts(stage.folder)).toEqual({
    'L-3032A538': 2,
    'L-0485CB21': stacks,
    'L-FE177D64': roles,
    'L-29B6F2EB': 5,
    'L-6408ABDE': 2,
  })
  expect(roles).toBeGreaterThan(100)
  expect(Object.keys(counts(cheap.folder))).not.toContain('L-29B6F2EB')
  expect(counts(cheap.folder)).toMatchObject({ 'L-6408ABDE': 1 })
})

it('nothing fails in an account that has everything, and each question is signed for its service', async () => {
  const { out, signedFor } = await preflight({})

  expect(out).not.toContain('FAIL')
  expect(out).toContain(`ok    account ${account}, region eu-central-1\n`)
  expect(out).toContain('ok    the engine 127.0.0.1 is at 127.0.0.1')
  expect(out).toContain('note  fs2.example.invalid has no address here')
  expect([...signedFor].sort()).toEqual(
    ['ec2', 'lambda', 'servicequotas', 'ssm', 'sts']
      .map((name) => `eu-central-1/${name}`)
      .concat('us-east-1/iam', 'us-east-1/servicequotas'),
  )
})

it('the command prints a line for each check, ends with 0, and with 1 when one fails', async () => {
  const { code, out, err } = await run(['--assembly', stage.folder])
  const away = await run(['--assembly', other.folder])

  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^ok {4}account .*\n(?:.*\n)+the stage prod can be deployed\n$/)
  expect(away.code).toBe(1)
  expect(away.out).toMatch(/1 of these must be mended first\n$/)
})

it.each<[string, Readonly<Record<string, Answer>>, string, string]>([
  [
    'a new region',
    { 'AmazonSSM.GetParameter': { refused: 'ParameterNotFound' } },
    'the region eu-central-1 was never prepared for the CDK',
    'npx cdk bootstrap -c stage=prod',
  ],
  [
    'an old bootstrap stack',
    { 'AmazonSSM.GetParameter': '{"Parameter":{"Value":"5"}}' },
    'the bootstrap stack of eu-central-1 has version 5, and 6 is needed',
    'npx cdk bootstrap -c stage=prod',
  ],
  [
    'the concurrency of a new account',
    {
      '/2016-08-19/account-settings/':
        '{"AccountLimit":{"ConcurrentExecutions":10,"UnreservedConcurrentExecutions":10}}',
    },
    'Lambda runs 10 functions at once, 0 of them reserved already; the stage needs',
    'aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value',
  ],
  [
    'few processors',
    { 'L-3032A538': '{"Quota":{"Value":1}}' },
    'the account may have 1 vCPU of Fargate, those of other tasks not counted; the stage needs 2',
    'aws service-quotas request-service-quota-increase --service-code fargate --quota-code L-3032A538 --desired-value 2',
  ],
  [
    'few roles',
    { 'L-FE177D64': '{"Quota":{"Value":20}}' },
    'the account may have 20 roles, those of others not counted; the stage needs 1',
    'aws service-quotas request-service-quota-increase --service-code iam --quota-code L-FE177D64 --desired-value 1',
  ],
  [
    'all VPCs taken',
    { 'L-F678F1CE': '{"Quota":{"Value":1}}' },
    'the region may have 1 VPCs; with this stage it has 2',
    'aws service-quotas request-service-quota-increase --service-code vpc --quota-code L-F678F1CE --desired-value 2',
  ],
  [
    'no cluster so far',
    { AWSServiceRoleForECS: { refused: 'NoSuchEntity' } },
    'the account lacks the role AWSServiceRoleForECS',
    'aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com',
  ],
])('%s fails, with the command that mends it', async (_what, given, problem, mend) => {
  const { out } = await preflight(given)

  expect(out).toContain(`FAIL  ${problem}`)
  expect(out.slice(out.indexOf('FAIL'))).toContain(`\n      ${mend}`)
  expect(out.match(/FAIL/g)).toHaveLength(1)
})

it('a VPC that the stage has already is not counted twice', async () => {
  const of = '<vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet>'

  const { out } = await preflight({ 'L-F678F1CE': '{"Quota":{"Value":1}}', 'DescribeVpcs of the stage': of })

  expect(out).toContain('ok    the region may have 1 VPCs; with this stage it has 1')
})

it('credentials of another account fail, and nothing else is asked of it', async () => {
  const { out, signedFor } = await preflight({ GetCallerIdentity: '<Account>210987654321</Account>' })

  expect(out).toContain(
    `FAIL  the credentials are of account 210987654321, region eu-central-1; the stage belongs to ${account}`,
  )
  expect([...signedFor]).toEqual(['eu-central-1/sts'])
})

it('a stage without account and region goes to those of the credentials, and is told how to bind itself', async () => {
  const { out } = await preflight({}, other)

  expect(out).toContain(`note  account ${account}, region eu-west-1: nothing ties the stage to them`)
  expect(out).toContain(`"account": "${account}", "region": "eu-west-1" in settings/prod.local.json`)
})

it('an image that must be built needs Docker, and one of ECR must be there', async () => {
  const describe = 'AmazonEC2ContainerRegistry_V20150921.DescribeImages'

  expect((await preflight({}, { docker: 'no-such-program' })).out).toContain('FAIL  no-such-program does not answer')
  expect((await preflight({}, { ...other, docker: 'no-such-program' })).out).toContain(
    'ok    the image of connectorImage is in telephony/connector',
  )
  expect((await preflight({ [describe]: { refused: 'ImageNotFoundException' } }, other)).out).toContain(
    'FAIL  telephony/connector has no image 1.2.3',
  )
})

it('an engine outside of the network that the connector may open fails', async () => {
  const { out } = await preflight({}, other)

  expect(out).toContain('FAIL  the engine 127.0.0.1 is at 127.0.0.1, where the connector may not open a port')
})

it.each<[string, Answer, string]>([
  ['may not be asked', { refused: 'AccessDeniedException' }, 'servicequotas answered AccessDeniedException'],
  ['has no value', '{"Quota":{}}', 'the answer has no value'],
])('a quota that %s is not known, the other checks go on, and the end is neither', async (_what, answer, reason) => {
  const { code, out } = await run(['--assembly', stage.folder], { 'L-3032A538': answer })

  expect(out).toContain(`open  not known, because ${reason}`)
  expect(out).toContain('ok    the engine 127.0.0.1')
  expect(out).toMatch(/1 could not be checked\n$/)
  expect(code).toBe(3)
})

it('a quota that was never applied is the default of all accounts', async () => {
  const { out } = await preflight({
    'L-3032A538': { refused: 'NoSuchResourceException' },
    'L-3032A538 by default': '{"Quota":{"Value":6}}',
  })

  expect(out).toContain('ok    the account may have 6 vCPU of Fargate')
})

it('concurrency that is reserved already is told, with what to do if it is not of this stage', async () => {
  const { out } = await preflight({
    '/2016-08-19/account-settings/':
      '{"AccountLimit":{"ConcurrentExecutions":1000,"UnreservedConcurrentExecutions":200}}',
  })

  expect(out).toContain('note  Lambda runs 1000 functions at once, 800 of them reserved already')
  expect(out).toContain('      if another than this stage reserved them: aws service-quotas')
})

it('the bootstrap stack is asked for once in each region, and all else in the region of the stage', async () => {
  const { out, signedFor } = await preflight({}, replicated)

  expect(out).toContain('ok    the bootstrap stack of eu-central-1 has version 30')
  expect(out.match(/the bootstrap stack of eu-west-3/g)).toHaveLength(1)
  expect([...signedFor].filter((scope) => scope.startsWith('eu-west-3/'))).toEqual(['eu-west-3/ssm'])
})

it('a store of CDRs in a network needs the role of its service', async () => {
  const { out } = await preflight({ AWSServiceRoleForAmazonOpenSearchService: { refused: 'NoSuchEntity' } }, other)

  expect(out).toContain('aws iam create-service-linked-role --aws-service-name opensearchservice.amazonaws.com')
})

it('wrong words are refused in one sentence', async () => {
  const { code, err } = await run(['-c', 'engineHost=x'])

  expect(code).toBe(2)
  expect(err).toContain('choose a stage with -c stage=<name>; npm run preflight -- --help shows')
})

it('the help says what is checked, and how it ends', async () => {
  const { code, out } = await run(['--help'])

  expect(code).toBe(0)
  expect(out).toContain('-c stage=NAME')
})
