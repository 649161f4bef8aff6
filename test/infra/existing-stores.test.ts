import { describe, expect, it } from 'vitest'
import { buckets, keys, secrets, tables } from '../../contracts/resources.ts'
import { readSettings } from '../../lib/settings.ts'
import { type Placed, type Value, text } from './assembly.ts'
import { appWith } from './synthesized-app.ts'

const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:123456789012:${name}`
const named = (names: object, physical: (name: string) => string) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, physical(name)]))

const cdr = `https://search-callplane-${'a1'.repeat(13)}.eu-west-1.es.amazonaws.com`
const everything = {
  tables: named(tables, (name) => `${name}-restored`),
  buckets: named(buckets, (name) => `${name.toLowerCase()}-kept`),
  secrets: named(secrets, (name) => arn('secretsmanager', `secret:${name}-AbCd12`)),
  keys: named(keys, (name) => arn('kms', `key/${name}-1`)),
  searchDomains: { cdr },
}

const synthesized = appWith({ existingStores: everything })
const { assembly } = synthesized

/** The environments of all functions and of the connector. */
function environments(): { stack: Placed['stack']; variables: readonly (readonly [string, Value])[] }[] {
  const ofFunctions = assembly.ofType('AWS::Lambda::Function').map(({ stack, Properties }) => {
    const { Variables = {} } = (Properties['Environment'] ?? {}) as { Variables?: Record<string, Value> }
    return { stack, variables: Object.entries(Variables) }
  })
  const { stack, Properties } = assembly.one('AWS::ECS::TaskDefinition', 'Connector')
  const [container] = Properties['ContainerDefinitions'] as unknown as [
    { Environment: { Name: string; Value: Value }[]; Secrets: readonly { ValueFrom: Value }[] },
  ]
  const variables = container.Environment.map(({ Name, Value: value }) => [Name, value] as const)
  // ECS reads this secret for the connector, under the name of what it holds.
  const ofEcs = container.Secrets.map(({ ValueFrom }) => [secrets.socket.variable, ValueFrom] as const)
  return [...ofFunctions, { stack, variables: [...variables, ...ofEcs] }]
}

/** The addresses of stores in all environments, by variable. */
function addresses(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { stack, variables } of environments()) {
    for (const [name, value] of variables) {
      if (!/^(?:TABLE|BUCKET|SECRET|KEY)_|^OPENSEARCH_URL$/.test(name)) continue
      const address = text(assembly.resolve(stack, value))
      found.set(name, (found.get(name) ?? new Set()).add(address))
    }
  }
  return found
}

describe('stores that a deployment takes up', () => {
  it('an existing store that a deployment uses is not created', () => {
    for (const type of [
      'DynamoDB::Table',
      'SecretsManager::Secret',
      'KMS::Key',
      'S3::Bucket',
      'OpenSearchService::Domain',
    ]) {
      expect(assembly.ofType(`AWS::${type}`), type).toEqual([])
    }
  })

  it('every function and the connector use the existing stores, and no others', () => {
    const found = addresses()
    const expected = (['tables', 'buckets', 'secrets', 'keys'] as const).flatMap((kind) =>
      Object.entries({ tables, buckets, secrets, keys }[kind]).map(([name, { variable }]) => [
        variable,
        everything[kind][name],
      ]),
    )

    for (const [variable, address] of expected) {
      if (address === undefined || variable === undefined) throw new Error('a declared store has no address')
      expect([...(found.get(variable) ?? [])], variable).toEqual([address])
    }
    expect(found.get('OPENSEARCH_URL')).toEqual(new Set([cdr]))
    expect(found.size).toBeGreaterThan(25)
  })

  it('a role may access the existing stores by their names', () => {
    const policies = JSON.stringify(assembly.ofType('AWS::IAM::Role').concat(assembly.ofType('AWS::IAM::Policy')))

    for (const name of [
      'table/accounts-restored',
      'recordings-kept',
      'secret:cursor-AbCd12',
      'key/seal-1',
      'domain/callplane',
    ]) {
      expect(policies).toContain(name)
    }
  })

  it("the connector's network allows access to the existing buckets", () => {
    const { Properties } = assembly.one('AWS::EC2::VPCEndpoint', 'NetworkVpcObjects')

    const policy = JSON.stringify(Properties['PolicyDocument'])
    for (const name of Object.values(everything.buckets)) expect(policy).toContain(`:s3:::${name}/*`)
  })

  it('the alarms of the store of CDRs watch the existing search domain', () => {
    const alarms = assembly.ofType('AWS::CloudWatch::Alarm').filter(({ id }) => id.startsWith('Search'))

    expect(alarms).toHaveLength(4)
    for (const { id, Properties } of alarms) {
      expect(Properties['Dimensions'], id).toContainEqual({ Name: 'DomainName', Value: 'callplane' })
    }
  })

  it('a stage with an existing store of CDRs has no search stack', () => {
    expect(assembly.stacks.map(({ name }) => name)).not.toContain('CallplaneSearch')
  })
})

it('one existing table can be used while all others are created', () => {
  const one = appWith({ existingStores: { tables: { accounts: 'accounts-restored' } } })

  expect(one.assembly.ofType('AWS::DynamoDB::Table')).toHaveLength(Object.keys(tables).length - 1)
})

it.each([
  [{ tabels: {} }, 'must have no kinds but tables, buckets'],
  [{ tables: { acounts: 'x-restored' } }, 'must have no tables but domains, accounts'],
  [{ tables: { accounts: 'no spaces' } }, 'must have the name of a table as tables.accounts'],
  [{ tables: { accounts: 'same', hooks: 'same' } }, 'must not have one of the tables under two names'],
  [{ tables: ['accounts'] }, 'must have an object of names as tables'],
  [{ keys: { seal: 'alias/seal' } }, 'must have the ARN of a key as keys.seal'],
  [
    { secrets: { root: 'arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:r-AbCd12' } },
    'must have the whole ARN',
  ],
  [{ searchDomains: { cdr: 'http://127.0.0.1' } }, 'must have the address of a domain'],
  // A domain inside a VPC, which the functions could not reach.
  [{ searchDomains: { cdr: cdr.replace('search-', 'vpc-') } }, 'must have the address of a domain'],
  ['{"tables":', 'must be a JSON object'],
])('the names %j are refused: %s', (existingStores, problem) => {
  expect(() => readSettings({ stage: 'test', engineHost: 'engine', existingStores })).toThrow(
    `setting existingStores ${problem}`,
  )
})
