import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readAssembly } from '../../../packages/laptop/assembly/read-assembly.ts'
import { place, writeAssembly } from '../../support/platform/small-assembly.ts'

const directories: string[] = []

function anAssembly(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'))
  directories.push(directory)
  writeAssembly(directory)
  return directory
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

describe('readAssembly', () => {
  it('reading the assembly resolves a table of one stack for the function of another, through a nested stack', () => {
    const { functions, tables } = readAssembly(anAssembly(), place)

    expect(functions[0]?.environment).toEqual({
      TABLE: tables[0]?.name,
      QUEUE_URL: 'http://127.0.0.1:9000/000000000000/Data-Work.fifo',
      PUBLIC_URL: 'http://127.0.0.1:8080',
    })
  })

  it('a stack that is deployed under a name with a stage keeps the names of its tables and queues', () => {
    const { tables, queues } = readAssembly(anAssembly(), place)

    expect(tables.map(({ name }) => name)).toEqual(['Data-Table'])
    expect(queues.map(({ name }) => name)).toContain('Data-Work.fifo')
  })

  it('reading the assembly finds the code of a function by the key that it would be published under', () => {
    const directory = anAssembly()

    expect(readAssembly(directory, place).functions[0]).toMatchObject({
      directory: join(directory, 'asset.code'),
      handler: 'index.handler',
      timeoutSeconds: 29,
    })
  })

  it('reading the assembly keeps the keys and indexes of a table and drops members without use on a laptop', () => {
    expect(readAssembly(anAssembly(), place).tables[0]?.definition).toEqual({
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      GlobalSecondaryIndexes: [{ IndexName: 'by-state', KeySchema: [], Projection: { ProjectionType: 'ALL' } }],
      BillingMode: 'PAY_PER_REQUEST',
    })
  })

  it('reading the assembly gives queues their attributes as text, including dead letters', () => {
    const work = readAssembly(anAssembly(), place).queues.find(({ name }) => name === 'Data-Work.fifo')

    expect(work?.attributes).toEqual({
      FifoQueue: 'true',
      VisibilityTimeout: '30',
      RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:Data-Dead.fifo","maxReceiveCount":3}',
    })
  })

  it('reading the assembly collects the statements of a role from everything attached to it', () => {
    const [role] = readAssembly(anAssembly(), place).roles

    expect(role?.statements.map(({ actions }) => actions)).toEqual([
      ['dynamodb:GetItem'],
      ['sqs:SendMessage'],
      ['kms:Decrypt'],
    ])
  })

  it('reading the assembly connects routes and mappings with their functions', () => {
    const { functions, mappings, queues, routes } = readAssembly(anAssembly(), place)

    expect(routes).toEqual(
      ['PUT /imported/{id}', '$default', 'GET /things/{id}'].map((key) => ({ key, functionArn: functions[0]?.arn })),
    )
    expect(mappings).toEqual([
      {
        queueArn: queues.find(({ name }) => name === 'Data-Work.fifo')?.arn,
        functionArn: functions[0]?.arn,
        batchSize: 5,
        batchWindowSeconds: 0,
        reportsFailures: true,
        maximumConcurrency: 2,
      },
    ])
  })

  it('reading the assembly takes the cross-origin rules of an imported API from its document', () => {
    expect(readAssembly(anAssembly(), place).crossOrigin).toEqual({
      origins: ['https://a.example.com'],
      methods: ['PUT'],
      headers: [],
      exposedHeaders: [],
      maxAgeSeconds: 60,
    })
  })

  it('an assembly is refused when the role of a route may not invoke its function', () => {
    const directory = anAssembly()
    const file = join(directory, 'Api.template.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('function:Api-Group-*', 'function:Others-*'))

    expect(() => readAssembly(directory, place)).toThrow(
      /the role \S+role\/Api-Invoker of the route PUT \/imported\/\{id\} may not invoke \S+function:Api-Group-Read/,
    )
  })

  it('reading the assembly connects schedules with their functions', () => {
    const { functions, schedules } = readAssembly(anAssembly(), place)

    expect(schedules).toEqual([
      { functionArn: functions[0]?.arn, everyMs: 120_000 },
      { functionArn: functions[0]?.arn, everyMs: 3_600_000 },
    ])
  })

  it('reading the assembly connects preparations with their functions', () => {
    const { functions, preparations } = readAssembly(anAssembly(), place)

    expect(preparations).toEqual([{ functionArn: functions[0]?.arn }])
  })

  it('reading the assembly finds the folder that a container image is built from', () => {
    const directory = anAssembly()

    expect(readAssembly(directory, place).containers).toEqual([
      {
        name: 'Main',
        roleArn: 'arn:aws:iam::000000000000:role/Api-Role',
        directory: join(directory, 'asset.image'),
        environment: { PORT: '80' },
        secrets: { PASSWORD: expect.stringMatching(/^arn:aws:secretsmanager:.*:secret:Data-Secret-[0-9a-f]{6}$/) },
      },
    ])
  })

  it('reading the assembly gives the same names at every start', () => {
    expect(readAssembly(anAssembly(), place).secrets).toEqual(readAssembly(anAssembly(), place).secrets)
  })
})
