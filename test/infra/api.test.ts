import { expect, it } from 'vitest'
import { cors } from '../../contracts/routes/cors.ts'
import { routes } from '../../contracts/routes/index.ts'
import { type Placed, text } from './assembly.ts'
import { adjustedApp, usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

/** The declaration that a route of the gateway ends at. */
function declarationOf(route: Placed): unknown {
  const integrationId = assembly.resolve(route.stack, route.Properties['Target']).replace('integrations/', '')
  const integration = assembly
    .ofType('AWS::ApiGatewayV2::Integration')
    .find(({ stack, id }) => `${stack.name}/${id}` === integrationId)
  if (integration === undefined) throw new Error(`${route.id} has no integration`)
  const uri = assembly.resolve(integration.stack, integration.Properties['IntegrationUri'])
  const lambda = assembly.ofType('AWS::Lambda::Function').find(({ stack, id }) => `${stack.name}/${id}.Arn` === uri)
  return lambda?.Metadata?.['callplane']
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

  const deployed = assembly.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => text(Properties['RouteKey']))

  expect(deployed.toSorted()).toEqual([...declared, ...wrongMethods, '$default'].sort())
})

it('every gateway route ends at the function of its declaration', () => {
  for (const route of assembly.ofType('AWS::ApiGatewayV2::Route')) {
    const key = text(route.Properties['RouteKey'])
    const declared = routes.find(({ method, otherMethods = [], path }) =>
      [method, ...otherMethods].some((each) => `${each} ${path}` === key),
    )

    expect(declarationOf(route)).toMatchObject({ declaration: declared?.operationId ?? '$default' })
  }
})

it('integrations use payload format 2.0', () => {
  for (const { Properties } of assembly.ofType('AWS::ApiGatewayV2::Integration')) {
    expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' })
  }
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
  const [api] = assembly.ofType('AWS::ApiGatewayV2::Api')

  expect(api?.Properties).not.toHaveProperty('CorsConfiguration')
})

it('a configured origin gets exactly the declared methods and headers', () => {
  const configured = adjustedApp()

  const [api] = configured.assembly.ofType('AWS::ApiGatewayV2::Api')

  expect(api?.Properties['CorsConfiguration']).toEqual({
    AllowOrigins: ['https://a.example.com', 'https://b.example.com'],
    AllowMethods: [...cors.methods, 'OPTIONS'],
    AllowHeaders: cors.requestHeaders,
    ExposeHeaders: cors.exposedHeaders,
    MaxAge: 3600,
  })
})

it('the nested stacks of the API are updated one after the other, from the default route to the stage', () => {
  const nested = assembly.ofType('AWS::CloudFormation::Stack').filter(({ stack }) => stack.name === 'CallplaneApi')
  const order: string[] = []
  for (
    let next = nested.filter(({ DependsOn = [] }) => !DependsOn.some((id) => nested.some((one) => one.id === id)));
    next.length > 0;
  ) {
    expect(next).toHaveLength(1)
    const before = next[0]?.id ?? ''
    order.push(before)
    next = nested.filter(({ DependsOn = [] }) => DependsOn.includes(before))
  }

  expect(order).toHaveLength(nested.length)
  const first = nested.find(({ id }) => id === order[0])
  const types = (first?.DependsOn ?? []).map((id) => first?.stack.template.Resources[id]?.Type)
  expect(types).toContain('AWS::ApiGatewayV2::Route')
  const [stage] = assembly.ofType('AWS::ApiGatewayV2::Stage')
  expect(stage?.DependsOn).toContain(order.at(-1))
})
