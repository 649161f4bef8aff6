import { existsSync, readFileSync } from 'node:fs'
import * as dynamodb from '@aws-sdk/client-dynamodb'
import * as kms from '@aws-sdk/client-kms'
import * as s3api from '@aws-sdk/client-s3'
import * as secretsmanager from '@aws-sdk/client-secrets-manager'
import { expect, it } from 'vitest'
import { routes } from '../../contracts/routes/index.ts'
import { readSettings } from '../../lib/settings.ts'
import { usualApp } from './synthesized-app.ts'

const page = readFileSync('docs/deploy.md', 'utf8')
const synthesized = usualApp()
const { assembly } = synthesized

/** The lines of the page's shell blocks, without the variables before a command. */
const commands = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm), ...page.matchAll(/`(aws [^`]+)`/g)]
  .flatMap(([, block = '']) => block.split('\n'))
  .map((line) => line.trim().replace(/^[A-Z_]+=(?:<[^>]*>|\S+) /, ''))
  .filter((line) => line !== '')

const starting = (start: string) => commands.filter((command) => command.startsWith(start))

/** A placeholder such as `<the engine's VPC>` is one word. */
const wordsOf = (command: string) => command.match(/"[^"]*"|(?:<[^>]*>|[^\s<"])+/g) ?? []

const optionsOf = (command: string) => wordsOf(command).filter((word) => word.startsWith('--'))

const pascal = (kebab: string) => kebab.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Options of the CLI itself. */
const global = new Set(['--query', '--output'])

/** Operations of services for which no client is installed, with the options that the page uses. */
const others: Readonly<Record<string, readonly string[]>> = {
  'iam create-service-linked-role': ['--aws-service-name'],
  'ec2 create-vpc-peering-connection': ['--vpc-id', '--peer-vpc-id'],
  'ec2 accept-vpc-peering-connection': ['--vpc-peering-connection-id'],
  'ec2 create-route': ['--route-table-id', '--destination-cidr-block', '--vpc-peering-connection-id'],
  'route53 associate-vpc-with-hosted-zone': ['--hosted-zone-id', '--vpc'],
  'apigatewayv2 get-apis': ['--max-results'],
  'apigatewayv2 get-stage': ['--api-id', '--stage-name'],
  'apigatewayv2 update-stage': ['--api-id', '--stage-name', '--route-settings'],
  'cloudformation describe-stacks': ['--stack-name'],
  'cloudformation get-template': ['--stack-name'],
  'cloudformation delete-stack': ['--stack-name'],
  'cloudformation describe-stack-resources': ['--stack-name'],
  'dynamodb wait': ['--table-name'],
  'lambda list-event-source-mappings': ['--max-items'],
  'opensearch delete-domain': ['--domain-name'],
  'resourcegroupstaggingapi get-resources': ['--tag-filters'],
  's3 rb': ['--force'],
  'sqs delete-queue': ['--queue-url'],
  'lambda update-event-source-mapping': ['--uuid', '--enabled', '--no-enabled'],
}

/**
 * The members of an operation's input, from the client that the platform itself uses; `undefined`: no such operation.
 */
function inputMembers(service: string, operation: string): readonly string[] | undefined {
  const clients: Readonly<Record<string, object>> = { dynamodb, kms, s3api, secretsmanager }
  const made: unknown = Reflect.get(clients[service] ?? {}, `${pascal(operation)}Command`)
  if (typeof made !== 'function') return undefined
  const { schema } = Reflect.construct(made, [{}]) as { schema: readonly unknown[] }
  const [, , , , input] = schema
  const read = (typeof input === 'function' ? input() : input) as readonly unknown[]
  return read[4] as readonly string[]
}

it.each(commands)('the command "%s" of the page on deployments is of a kind that is checked', (command) => {
  expect(command).toMatch(/^(?:npm ci$|npm run |npx cdk |aws |git pull$)/)
})

it('the scripts that docs/deploy.md names exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const named = starting('npm run ').map((command) => wordsOf(command)[2])

  expect(named.length).toBeGreaterThan(1)
  for (const name of named) expect(Object.keys(scripts)).toContain(name)
})

it.each(starting('npx cdk '))('"%s" names a known verb, stacks that exist, and a stage with a file', (command) => {
  const [, , verb, ...rest] = wordsOf(command)
  const stage = /-c stage=(\S+)/.exec(command)?.[1]
  const stacks = rest.filter((word) => word.startsWith('Callplane'))

  expect(['bootstrap', 'synth', 'diff', 'deploy', 'destroy']).toContain(verb)
  const known = new Set(['--all', '--quiet', '--force', '--exclusively'])
  expect(optionsOf(command).filter((option) => !known.has(option))).toEqual([])
  expect(existsSync(`settings/${stage}.json`)).toBe(true)
  for (const stack of stacks) expect(assembly.stacks.map(({ name }) => name)).toContain(stack)
})

it.each(starting('aws '))('"%s" is an operation with options that it has', (command) => {
  const [, service = '', operation = ''] = wordsOf(command)
  const options = optionsOf(command).filter((option) => !global.has(option))
  const members = inputMembers(service, operation)
  const known =
    others[`${service} ${operation}`] ??
    options.filter((option) => members?.includes(pascal(option.replace(/^--(?:no-)?/, ''))))

  expect(known.length).toBeGreaterThan(0)
  expect(options.filter((option) => !known.includes(option))).toEqual([])
})

it('the concurrent executions on the page are those that queues may start and Lambda keeps, and those of each route of engines', () => {
  const fromQueues = assembly
    .ofType('AWS::Lambda::EventSourceMapping')
    .map(({ Properties }) => (Properties['ScalingConfig'] as { MaximumConcurrency: number }).MaximumConcurrency)
    .reduce((sum, each) => sum + each, 0)
  const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
  const ofEngines = words[routes.filter(({ path }) => path.startsWith('/engine/')).length]

  // Lambda keeps 100 that nobody can reserve.
  expect(page).toContain(`| ${fromQueues + 100}; with \`engineConcurrency\`, ${ofEngines} times that value more |`)
})

it('docs/deploy.md names every stack, and quotas that the templates do not exceed', () => {
  const tops = [...page.matchAll(/^\| `(Callplane\w+)-prod` \|/gm)].map(([, name]) => name)

  // The one more is the CDK's own.
  expect(page).toContain(`stacks | ${tops.length + 1}, with \`CDKToolkit\` |`)
  expect(assembly.ofType('AWS::IAM::Role').length).toBeLessThanOrEqual(150)
  expect(assembly.ofType('AWS::CloudWatch::Alarm').length).toBeLessThanOrEqual(60)
  expect(new Set(tops)).toEqual(new Set(assembly.stacks.map(({ name }) => name)))
})

it('the life cycle that the page gives to a bucket of its reader is the one of the bucket in the template', () => {
  interface Rule {
    readonly AbortIncompleteMultipartUpload?: object
    readonly NoncurrentVersionExpiration?: object
    readonly ExpiredObjectDeleteMarker?: boolean
    readonly Expiration?: { readonly ExpiredObjectDeleteMarker: boolean }
  }
  const onPage = JSON.parse(/```text\n(\{"Rules"[\s\S]*?)```/.exec(page)?.[1] ?? '{}') as { Rules: Rule[] }
  const bucket = assembly.one('AWS::S3::Bucket', 'RecordingsBucketObjects').Properties
  const inTemplate = bucket['LifecycleConfiguration'] as unknown as { Rules: Rule[] }
  const meaning = ({ Rules }: { readonly Rules: readonly Rule[] }) => ({
    uploads: Rules.flatMap((rule) => rule.AbortIncompleteMultipartUpload ?? []),
    versions: Rules.flatMap((rule) => rule.NoncurrentVersionExpiration ?? []),
    markers: Rules.flatMap(
      (rule) => rule.ExpiredObjectDeleteMarker ?? rule.Expiration?.ExpiredObjectDeleteMarker ?? [],
    ),
  })

  expect(meaning(onPage)).toEqual(meaning(inTemplate))
  expect(meaning(onPage).versions).toHaveLength(1)
})

it('the settings and store names that docs/deploy.md shows are declared', () => {
  const shown = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const real = shown.map((text) =>
    text
      .replaceAll('arn:aws:secretsmanager:…', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:name-AbCd12')
      .replaceAll('arn:aws:kms:…', 'arn:aws:kms:eu-west-1:123456789012:key/1')
      .replaceAll('search-….es', `search-cdr-${'a1'.repeat(13)}.eu-west-1.es`),
  )
  const distinct = real.map((text) => {
    let count = 0
    return text.replaceAll('"…"', () => `"store-${(count += 1)}"`).replace('secret:name', 'secret:other')
  })

  expect(distinct).toHaveLength(3)
  for (const text of distinct) {
    expect(() => readSettings({ stage: 'prod', engineHost: 'engine', ...JSON.parse(text) })).not.toThrow()
  }
})
