import { describe, expect, it } from 'vitest'
import { usualRateLimits } from '../../contracts/settings/rates.ts'
import { routes } from '../../contracts/routes/index.ts'
import { readStatus } from '../../contracts/routes/status.ts'
import { needsOf } from '../../contracts/routes/route.ts'
import { preparations } from '../../contracts/preparations.ts'
import { schedules } from '../../contracts/schedules.ts'
import { workers } from '../../contracts/workers.ts'
import type { Placed, Value } from './assembly.ts'
import { permissionsFor, permissionsOf, variablesFor } from './permissions.ts'
import { adjustedApp, appWith, usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

const functions = assembly.ofType('AWS::Lambda::Function')
const at = ({ stack, id }: Placed) => `${stack.name}/${id}`

function functionFor(declaration: string): Placed {
  const found = functions.filter(({ Metadata }) => {
    const metadata = Metadata?.['callplane']
    return typeof metadata === 'object' && metadata !== null && 'declaration' in metadata
      ? metadata.declaration === declaration
      : false
  })
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`${found.length} functions for ${declaration}`)
  return only
}

function roleOf(lambda: Placed): Placed {
  const role = assembly.resolve(lambda.stack, lambda.Properties['Role'])
  const found = assembly.ofType('AWS::IAM::Role').find((candidate) => `${at(candidate)}.Arn` === role)
  if (found === undefined) throw new Error(`${at(lambda)} has no role`)
  return found
}

function logPermissionsOf(lambda: Placed): string[] {
  const { LogGroup: logGroup } = lambda.Properties['LoggingConfig'] as { LogGroup: string }
  const arn = `${assembly.resolve(lambda.stack, logGroup)}.Arn`
  return [`logs:CreateLogStream on ${arn}`, `logs:PutLogEvents on ${arn}`]
}

function variablesOf(lambda: Placed): Record<string, string> {
  const { Variables: variables } = lambda.Properties['Environment'] as { Variables: Record<string, string> }
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, assembly.resolve(lambda.stack, value)]),
  )
}

describe.each(routes.map((route) => [route.operationId, route] as const))('the endpoint %s', (operationId, route) => {
  const lambda = functionFor(operationId)

  it("the endpoint's function may use its declared needs, and write its own log, and nothing else", () => {
    expect(permissionsOf(assembly, roleOf(lambda))).toEqual(
      [...permissionsFor(assembly, needsOf(route)), ...logPermissionsOf(lambda)].sort(),
    )
    expect(roleOf(lambda).Properties).not.toHaveProperty('ManagedPolicyArns')
  })

  it("the endpoint's function has the addresses of its needs in its environment, and nothing else", () => {
    const { PUBLIC_URL: publicUrl, LOG_LEVEL, BUILD_VERSION, RATE_LIMITS, ...rest } = variablesOf(lambda)
    const told = operationId === readStatus.operationId ? '1.2.3' : undefined

    expect(RATE_LIMITS).toBe(usualRateLimits)
    expect(publicUrl).toMatch(/^CallplaneApi\/Api\.ApiEndpoint$/)
    expect({ LOG_LEVEL, BUILD_VERSION }).toEqual({ LOG_LEVEL: 'info', BUILD_VERSION: told })
    expect(rest).toEqual(variablesFor(assembly, needsOf(route)))
  })

  it("the endpoint's function times out before the gateway, and runs on the newest runtime", () => {
    expect(lambda.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Timeout: route.timeoutSeconds ?? 29,
      MemorySize: route.memoryMb ?? 512,
      Handler: 'index.handler',
    })
  })
})

describe.each(workers.map((worker) => [worker.name, worker] as const))('the worker %s', (name, worker) => {
  const lambda = functionFor(name)
  const queue = assembly.one(
    'AWS::SQS::Queue',
    `${worker.queue.charAt(0).toUpperCase()}${worker.queue.slice(1)}QueueWork`,
  )

  it("the worker's function may use its declared needs and receive messages of its queue, and nothing else", () => {
    const take = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map(
      (action) => `sqs:${action} on ${at(queue)}.Arn`,
    )
    const wanted = [...permissionsFor(assembly, worker.needs), ...take, ...logPermissionsOf(lambda)]

    // A worker that deletes messages early names its own queue among its needs, too.
    expect(permissionsOf(assembly, roleOf(lambda))).toEqual([...new Set(wanted)].sort())
  })

  it("the worker's function is called with batches and reports the messages that failed", () => {
    const mapping = assembly
      .ofType('AWS::Lambda::EventSourceMapping')
      .find(({ stack, Properties }) => assembly.resolve(stack, Properties['FunctionName']) === at(lambda))

    expect(mapping?.Properties).toMatchObject({
      BatchSize: worker.batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: worker.maxConcurrency },
    })
    expect(mapping && assembly.resolve(mapping.stack, mapping.Properties['EventSourceArn'])).toBe(`${at(queue)}.Arn`)
  })

  it("the worker's function ends before its messages become visible again", () => {
    expect(lambda.Properties['Timeout']).toBe(worker.timeoutSeconds)
    expect(queue.Properties['VisibilityTimeout']).toBeGreaterThan(worker.timeoutSeconds)
  })

  it("the worker's function has the addresses of its needs in its environment", () => {
    expect(variablesOf(lambda)).toMatchObject(variablesFor(assembly, worker.needs))
  })
})

/** The batches that a worker must be able to handle at once, stated once more. */
const leastConcurrency: Readonly<Record<string, number>> = {
  hookDispatch: 50,
  deliver: 100,
  cdrIndex: 20,
  writeExport: 4,
  eraseParty: 2,
  cleanUpDomain: 2,
}

it.each(Object.entries(leastConcurrency))('%s handles as many batches at once as its load needs', (name, least) => {
  const lambda = functionFor(name)
  const mapping = assembly
    .ofType('AWS::Lambda::EventSourceMapping')
    .find(({ stack, Properties }) => assembly.resolve(stack, Properties['FunctionName']) === at(lambda))

  expect(Object(mapping?.Properties['ScalingConfig']).MaximumConcurrency).toBeGreaterThanOrEqual(least)
})

/** In the largest unit that it is a whole number of, as the scheduler writes it. */
function rateOf(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `rate(${count} ${unit}${count === 1 ? '' : 's'})`
}

describe.each(schedules.map((schedule) => [schedule.name, schedule] as const))('the schedule %s', (name, schedule) => {
  const lambda = functionFor(name)

  it("the schedule's function may use its declared needs, and write its own log, and nothing else", () => {
    expect(permissionsOf(assembly, roleOf(lambda))).toEqual(
      [...permissionsFor(assembly, schedule.needs), ...logPermissionsOf(lambda)].sort(),
    )
  })

  it("the schedule's function is called only by its rule, in its interval, and not retried after a failure", () => {
    const calls = (value: unknown) => assembly.resolve(lambda.stack, value as string) === `${at(lambda)}.Arn`
    const rules = assembly.ofType('AWS::Events::Rule').filter(({ Properties }) => {
      const [target] = Properties['Targets'] as unknown as { Arn: string }[]
      return calls(target?.Arn)
    })

    expect(rules.map(({ Properties }) => Properties)).toMatchObject([
      {
        ScheduleExpression: rateOf(schedule.everyMinutes),
        State: 'ENABLED',
        Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 } }],
      },
    ])
    const permissions = assembly
      .ofType('AWS::Lambda::Permission')
      .filter(({ Properties }) => calls(Properties['FunctionName']))
    expect(permissions.map(({ Properties }) => Properties)).toMatchObject([{ Principal: 'events.amazonaws.com' }])
    expect(lambda.Properties['Timeout']).toBe(schedule.timeoutSeconds)
  })

  it("the schedule's function has the addresses of its needs in its environment", () => {
    expect(variablesOf(lambda)).toMatchObject(variablesFor(assembly, schedule.needs))
  })
})

describe.each(preparations.map((preparation) => [preparation.name, preparation] as const))(
  'the preparation %s',
  (name, preparation) => {
    const lambda = functionFor(name)
    const call = assembly
      .ofType('Custom::Preparation')
      .find(({ stack, Properties }) => assembly.resolve(stack, Properties['ServiceToken']) === `${at(lambda)}.Arn`)

    it("the preparation's function may use its declared needs, and write its own log, and nothing else", () => {
      expect(permissionsOf(assembly, roleOf(lambda))).toEqual(
        [...permissionsFor(assembly, preparation.needs), ...logPermissionsOf(lambda)].sort(),
      )
    })

    it("the preparation's function is called by the deployment, again when what it prepares changes, and has time to report the result", () => {
      expect(call?.Properties['Edition']).toBe(preparation.edition)
      expect(lambda.Properties['Timeout']).toBe(preparation.timeoutSeconds)
      expect(Number(call?.Properties['ServiceTimeout'])).toBeGreaterThan(preparation.timeoutSeconds)
    })

    it('the deployment calls the preparation again when the address of its store changes', () => {
      const { Stores } = call?.Properties ?? {}
      const addresses = Object.entries((Stores ?? {}) as { readonly [name: string]: Value })

      expect(
        Object.fromEntries(
          addresses.map(([name, value]) => [name, assembly.resolve(call?.stack ?? lambda.stack, value)]),
        ),
      ).toEqual(variablesFor(assembly, preparation.needs))
    })

    it("the preparation's function is called each hour too, since a later deployment does not wait for its success", () => {
      const rule = assembly
        .ofType('AWS::Events::Rule')
        .find(
          ({ stack, Properties }) =>
            JSON.stringify(Properties['Targets']).includes(`"${lambda.id}"`) && stack === lambda.stack,
        )

      expect(rule?.Properties['ScheduleExpression']).toBe('rate(1 hour)')
    })

    it("the preparation's function has the addresses of its needs in its environment", () => {
      expect(variablesOf(lambda)).toMatchObject(variablesFor(assembly, preparation.needs))
    })
  },
)

it('a store that is taken up is prepared as at a first deployment, which may fail, and the call for the former one is forgotten', () => {
  const cdr = `https://search-cdr-${'a1'.repeat(13)}.eu-west-1.es.amazonaws.com`
  const taken = appWith({ existingStores: { searchDomains: { cdr } } })
  const idOf = (made: typeof assembly) => made.one('Custom::Preparation', 'PrepareSearch').id

  expect(idOf(taken.assembly)).not.toBe(idOf(assembly))
})

it('another number of shards reaches the function that prepares the store of CDRs, and calls it again', () => {
  const more = adjustedApp()
  const call = (made: typeof assembly) => made.one('Custom::Preparation', 'PrepareSearch').Properties
  const prepares = more.assembly.one('AWS::Lambda::Function', 'PrepareSearchHandler')

  expect(call(assembly)).not.toHaveProperty('Shards')
  expect(call(more.assembly)).toHaveProperty('Shards', '4')
  expect(prepares.Properties).toHaveProperty('Environment.Variables.CDR_SHARDS', '4')
})

it('workers that write CDRs are created after the store of CDRs is prepared', () => {
  const call = assembly.one('Custom::Preparation', 'PrepareSearch')
  for (const { name } of workers.filter(({ needs }) => needs.cdrs !== undefined)) {
    expect(functionFor(name).DependsOn).toContain(call.id)
  }
})

it('one function answers requests without a route, and may do nothing but write its log', () => {
  const lambda = functionFor('$default')

  expect(permissionsOf(assembly, roleOf(lambda))).toEqual(logPermissionsOf(lambda))
})

it('every function in the templates is declared', () => {
  expect(functions).toHaveLength(routes.length + workers.length + schedules.length + preparations.length + 1)
})

it('X-Ray traces the calls of all functions if the setting says so, and of none otherwise', () => {
  const traced = adjustedApp()
  const made = traced.assembly.ofType('AWS::Lambda::Function')
  const added = traced.assembly
    .ofType('AWS::IAM::Role')
    .filter(({ Properties }) => Properties['Policies'] !== undefined)
    .map((role) => permissionsOf(traced.assembly, role).filter((permission) => permission.startsWith('xray:')))
    .filter((permissions) => permissions.length > 0)

  expect(functions.filter(({ Properties }) => Properties['TracingConfig'] !== undefined)).toEqual([])
  expect(made).toHaveLength(functions.length)
  for (const { Properties } of made) expect(Properties).toMatchObject({ TracingConfig: { Mode: 'Active' } })
  expect(added).toEqual(made.map(() => ['xray:PutTelemetryRecords on *', 'xray:PutTraceSegments on *']))
  expect(traced.assembly.ofType('AWS::IAM::Policy').length).toBe(assembly.ofType('AWS::IAM::Policy').length)
})
