import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { Placed, Value } from './assembly.ts'
import { appWith, synthesize } from './synthesized-app.ts'

// The settings of one stage and of another are the same but for the name, so that only the name can tell them apart.
const settings = {
  engineVpc: {
    id: 'vpc-0a1b2c3d',
    routeTables: ['rtb-0a1b2c3d'],
    addresses: { 'engine.example.internal': '10.0.1.10' },
  },
  alarmEmail: 'oncall@example.com',
}
const [one, other] = [appWith({ ...settings, stage: 'one' }), appWith({ ...settings, stage: 'other' })]

interface Schema {
  readonly cloudFormationType: string
  readonly primaryIdentifier?: readonly string[]
  readonly properties: Readonly<Record<string, { readonly causesReplacement?: string }>>
}

/** The schemas of CloudFormation's types, as the CDK's own command line comes with them. */
function readSchemas(): ReadonlyMap<string, Schema> {
  const file = join(import.meta.dirname, '../../node_modules/aws-cdk/db.json.gz')
  const { schema } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    readonly schema: { readonly resource: { readonly entities: readonly Schema[] } }
  }
  return new Map(schema.resource.entities.map((entity) => [entity.cloudFormationType, entity]))
}
const schemas = readSchemas()

/** Names that are no part of an identity of their own: a list of revisions under one name is shared, too. */
const alsoNames = /Name$|^Family$|^Name$/

/** Types of which any number may have the same name: what tells them apart is their network. */
const inNetworks = new Set(['AWS::EC2::VPCEndpoint', 'AWS::EC2::Route', 'AWS::Route53::HostedZone'])

/** The properties that identify a resource in its account and region, when it has all of them. */
function identityOf({ Type, Properties }: Placed): Readonly<Record<string, Value>> {
  const { primaryIdentifier = [], properties = {} } = schemas.get(Type) ?? {}
  const names = Object.keys(properties).filter(
    (name) =>
      primaryIdentifier.includes(name) || (properties[name]?.causesReplacement === 'yes' && alsoNames.test(name)),
  )
  return Object.fromEntries(names.flatMap((name) => (name in Properties ? [[name, Properties[name] ?? null]] : [])))
}

/** What is inside another resource is as distinct as that one; account and region are the same for both stages. */
const namesResource = (value: Value) => /"(?:Ref|Fn::GetAtt|Fn::GetStackOutput)":(?!"AWS::)/.test(JSON.stringify(value))

const identities = (app: typeof one) =>
  app.assembly.stacks
    .flatMap(({ template }) => Object.values(template.Resources))
    .filter(({ Type }) => !inNetworks.has(Type))
    .flatMap((resource) => {
      const identity = identityOf(resource as Placed)
      const isFixed = Object.keys(identity).length > 0 && !Object.values(identity).some(namesResource)
      return isFixed ? [`${resource.Type} ${JSON.stringify(identity)}`] : []
    })

it('two stages in one account and region share no physical name', () => {
  const names = identities(one)

  expect(names.filter((name) => name.startsWith('AWS::CloudWatch::Alarm ')).length).toBeGreaterThan(30)
  expect(names.filter((name) => identities(other).includes(name))).toEqual([])
})

it('no stack exports a name, which an account and region have once', () => {
  const outputs = one.assembly.stacks.flatMap(({ template }) => Object.values(template.Outputs ?? {}))

  expect(outputs.filter((output) => output.Export !== undefined)).toEqual([])
})

it('a version alone changes one function: the one that tells it', () => {
  using earlier = synthesize({ version: '1.2.3' })
  using later = synthesize({ version: '1.2.4' })
  const resources = ({ assembly }: typeof one) =>
    assembly.stacks.flatMap(({ name, template }) =>
      Object.entries(template.Resources)
        // A nested stack is named by the content of its template.
        .filter(([, { Type }]) => Type !== 'AWS::CloudFormation::Stack')
        .map(([id, resource]) => `${name}/${id} ${JSON.stringify(resource)}`),
    )
  const known = new Set(resources(earlier))
  const changed = resources(later).filter((resource) => !known.has(resource))

  expect(changed).toHaveLength(1)
  expect(changed[0]).toMatch(/ReadStatus.*"BUILD_VERSION":"1\.2\.4"/)
})
