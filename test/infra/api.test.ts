import { type SpecData, Validator } from '@seriousme/openapi-schema-validator'
import { App, Stack } from 'aws-cdk-lib'
import { expect, it } from 'vitest'
import { cors } from '../../contracts/routes/cors.ts'
import { engineRouteKeys } from '../../lib/api-skeleton.ts'
import { endpointName } from '../../lib/constructs/endpoint-name.ts'
import { setStage } from '../../lib/constructs/stage.ts'
import { routes } from '../../contracts/routes/index.ts'
import { type Value } from './assembly.ts'
import { type Integration, importedApi, integrationsOf } from './imported-api.ts'
import { permissionsOf } from './permissions.ts'
import { type SynthesizedApp, adjustedApp, appWith, usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

/** The declaration of the function that an integration invokes. */
function declarationOf({ uri }: Integration): unknown {
  const invoked = assembly.resolve(importedApi(assembly).api.stack, uri)
  const named = assembly
    .ofType('AWS::Lambda::Function')
    .filter(({ Properties }) =>
      invoked.endsWith(
        `:function:${assembly.resolve(importedApi(assembly).api.stack, Properties['FunctionName'])}/invocations`,
      ),
    )
  expect(named, invoked).toHaveLength(1)
  return named[0]?.Metadata?.['callplane']
}

/** Methods that a path lacks, and that a path with a parameter would take in its place. */
const wrongMethods = [
  'DELETE /api/v2/hooks/dry-run',
  'GET /api/v2/hooks/dry-run',
  'PATCH /api/v2/hooks/dry-run',
  'PUT /api/v2/hooks/dry-run',
  'DELETE /api/v2/routes/default/simulate',
  'GET /api/v2/routes/default/simulate',
  'PUT /api/v2/routes/default/simulate',
  'GET /api/v2/cdr/export',
  'DELETE /api/v2/cdr/export',
  'DELETE /api/v2/cdr/text',
  'GET /api/v2/cdr/text',
]

it('the gateway has exactly one route for each declared method and path, for each wrong method of a path that looks like a parameter, and for everything else', () => {
  const declared = routes.flatMap(({ method, otherMethods = [], path }) =>
    [method, ...otherMethods].map((each) => `${each} ${path}`),
  )

  const deployed = integrationsOf(assembly).map(({ key }) => key)

  expect(deployed.toSorted()).toEqual([...declared, ...wrongMethods, '$default'].sort())
})

it('every gateway route ends at the function of its declaration', () => {
  for (const { key, integration } of integrationsOf(assembly)) {
    const declared = routes.find(({ method, otherMethods = [], path }) =>
      [method, ...otherMethods].some((each) => `${each} ${path}` === key),
    )

    expect(declarationOf(integration)).toMatchObject({ declaration: declared?.operationId ?? '$default' })
  }
})

it('the gateway invokes functions with payload format 2.0, in one role that may invoke the endpoints of its stage only', () => {
  const { stack } = importedApi(assembly).api
  const role = assembly.one('AWS::IAM::Role', 'Invoker')
  for (const { integration } of integrationsOf(assembly)) {
    expect(integration).toMatchObject({ type: 'aws_proxy', httpMethod: 'POST', payloadFormatVersion: '2.0' })
    expect(assembly.resolve(stack, integration.credentials)).toBe(`${stack.name}/${role.id}.Arn`)
  }

  expect(permissionsOf(assembly, role)).toEqual([
    `lambda:InvokeFunction on arn:${stack.name}/AWS::Partition:lambda:${stack.name}/AWS::Region:${stack.name}/AWS::AccountId:function:callplane-test_*`,
  ])
  // It grows neither with the number of endpoints nor with their names; IAM takes 10 240 characters of a role.
  expect(JSON.stringify(role.Properties['Policies']).length).toBeLessThan(400)
})

it('the skeleton that the API is imported from is a valid OpenAPI document, and has no schema but text', async () => {
  const { skeleton } = importedApi(assembly)
  const plain: SpecData = JSON.parse(JSON.stringify(skeleton), (_key, value: Value) =>
    typeof value === 'object' && value !== null && ('Fn::Join' in value || 'Fn::GetAtt' in value) ? 'text' : value,
  )

  expect(await new Validator().validate(plain)).toMatchObject({ valid: true })
  expect(new Set(JSON.stringify(plain).match(/"schema":\{[^}]*\}/g))).toEqual(new Set(['"schema":{"type":"string"}']))
  expect(JSON.stringify(plain)).not.toMatch(/requestBody|components|content/)
})

const names = (made: typeof assembly) =>
  made
    .ofType('AWS::Lambda::Function')
    .flatMap(({ Properties }) => Properties['FunctionName'] ?? [])
    .map(String)

it('the names of endpoints contain the stage, fit, and are all different from those of a stage whose name starts alike', () => {
  const longest = { stage: 'test-of-16-chars', monitoring: 'deployments' }
  const other = names(appWith(longest).assembly)

  expect(other).toHaveLength(routes.length + 1)
  expect(new Set(other).size).toBe(other.length)
  for (const name of other) expect(name).toMatch(/^callplane-test-of-16-chars_[A-Za-z]{1,28}_[0-9a-f]{8}$/)
  expect(Math.max(...other.map((name) => name.length))).toBeLessThanOrEqual(64)
  for (const name of names(assembly)) expect(name).toMatch(/^callplane-test_/)
})

it('an endpoint that gets another construct gets another name, so that its new function can be made next to the old one', () => {
  const app = new App()
  setStage(app, 'dev')
  const [one, two] = ['One', 'Two'].map((id) => {
    const stack = new Stack(app, id)
    return [endpointName(stack, 'HoldChannel'), endpointName(stack, 'HangUpChannel')]
  })

  expect(new Set([...(one ?? []), ...(two ?? [])]).size).toBe(4)
})

it('routes are taken into use after all functions are there, by a deployment that the stage serves', () => {
  const deployment = assembly.one('AWS::ApiGatewayV2::Deployment', 'Deployment')
  const stage = assembly.one('AWS::ApiGatewayV2::Stage', 'Stage')
  const functions = deployment.stack.template.Resources
  const waited = (deployment.DependsOn ?? []).filter((id) => functions[id]?.Type === 'AWS::Lambda::Function')

  expect(waited).toHaveLength(routes.length + 1)
  expect(assembly.resolve(stage.stack, stage.Properties['DeploymentId'])).toBe(
    `${deployment.stack.name}/${deployment.id}`,
  )
  expect(stage.Properties).not.toHaveProperty('AutoDeploy')
  // Another skeleton is another deployment, and the same one is the same.
  const id = ({ assembly: made }: SynthesizedApp) => made.one('AWS::ApiGatewayV2::Deployment', 'Deployment').id
  expect(id(adjustedApp())).not.toBe(deployment.id)
  expect(id(appWith({ requestsPerSecond: 30, monitoring: 'deployments' }))).toBe(deployment.id)
})

it('the stage throttles and logs each request without headers or query', () => {
  const [stage] = assembly.ofType('AWS::ApiGatewayV2::Stage')
  const log = stage?.Properties['AccessLogSettings'] as { Format: string } | undefined

  expect(stage?.Properties).toMatchObject({
    StageName: '$default',
    DefaultRouteSettings: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 500 },
  })
  expect(log?.Format).toContain('$context.requestId')
  expect(log?.Format).not.toMatch(/header|query|authorizer/i)
})

it('each route that engines call has a throttle of its own', () => {
  const slower = adjustedApp()
  const stageOf = (made: typeof assembly) => made.ofType('AWS::ApiGatewayV2::Stage')[0]?.Properties
  const called = routes.filter(({ path }) => path.startsWith('/engine/'))
  const settings = (rate: number, burst: number) =>
    Object.fromEntries(
      called.map(({ method, path }) => [
        `${method} ${path}`,
        { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst, DetailedMetricsEnabled: false },
      ]),
    )

  expect(called.length).toBeGreaterThan(1)
  expect(stageOf(assembly)?.['RouteSettings']).toEqual(settings(1000, 1000))
  expect(stageOf(slower.assembly)).toMatchObject({
    DefaultRouteSettings: { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 10 },
    RouteSettings: settings(20, 20),
  })
})

it('a route of engines that answers several methods has a throttle for each', () => {
  const made = routes.map((route) => ({ ...route, otherMethods: ['PUT'] as const }))
  const called = made.filter(({ path }) => path.startsWith('/engine/'))

  expect([...engineRouteKeys(made)].sort()).toEqual(
    called.flatMap(({ method, path }) => [`${method} ${path}`, `PUT ${path}`]).sort(),
  )
})

it('functions that engines call have a reserved concurrency if it is set, and no others do', () => {
  const reserving = adjustedApp()
  const reserved = (made: typeof assembly) =>
    made.ofType('AWS::Lambda::Function').flatMap(({ Metadata, Properties }) => {
      const { declaration } = Object(Metadata?.['callplane'])
      const own = Properties['ReservedConcurrentExecutions']
      return typeof own === 'number' ? [`${declaration} ${own}`] : []
    })
  const called = routes.filter(({ path }) => path.startsWith('/engine/')).map(({ operationId }) => `${operationId} 30`)

  expect(reserved(reserving.assembly).toSorted()).toEqual(called.toSorted())
  expect(reserved(assembly)).toEqual([])
})

it('no origin may call the API from a browser by default', () => {
  expect(importedApi(assembly).skeleton).not.toHaveProperty('x-amazon-apigateway-cors')
})

it('a configured origin gets exactly the declared methods and headers', () => {
  const { skeleton } = importedApi(adjustedApp().assembly)

  expect(skeleton['x-amazon-apigateway-cors']).toEqual({
    allowOrigins: ['https://a.example.com', 'https://b.example.com'],
    allowMethods: [...cors.methods, 'OPTIONS'],
    allowHeaders: cors.requestHeaders,
    exposeHeaders: cors.exposedHeaders,
    maxAge: 3600,
  })
})

it('the endpoints of a resource group share a log group', () => {
  const groups = new Set(routes.map(({ group }) => group))
  const logs = assembly.ofType('AWS::Logs::LogGroup').filter(({ stack }) => stack.name === 'CallplaneApi')

  // Those of the function that answers what has no route, and of the stage.
  expect(logs).toHaveLength(groups.size + 2)
})

it('every log of the deployment is kept for 30 days, or for as many as are set', () => {
  const kept = (made: SynthesizedApp) => {
    const logs = made.assembly.ofType('AWS::Logs::LogGroup')
    return [
      new Set(logs.map(({ stack }) => stack.name)).size > 2,
      new Set(logs.map((log) => log.Properties['RetentionInDays'])),
    ]
  }

  expect(kept(usualApp())).toEqual([true, new Set([30])])
  expect(kept(adjustedApp())).toEqual([true, new Set([400])])
})
