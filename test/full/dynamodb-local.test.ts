/**
 * Every contract suite that needs a DynamoDB, judged by DynamoDB Local instead of the embedded one: what both accept is
 * no peculiarity of either. The suites are the same files, unchanged.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fetchDynamoDbLocal } from '../../packages/laptop/stores/dynamo-program/dynamodb-local.ts'
import { runCommand } from '../support/platform/command.ts'
import { startDynamoDbLocal } from '../support/stores/dynamodb-local.ts'

const report = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), status: z.string() })),
})

const fetched = await fetchDynamoDbLocal(process.cwd())
const missing = 'missing' in fetched ? fetched.missing : undefined
if (missing !== undefined) console.warn(`DynamoDB Local does not judge the stores: ${missing}`)

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-judge-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The suites that take their DynamoDB from test/support/stores/dynamo-server.ts. */
function dynamoSuites(): string[] {
  return readdirSync('test/contract')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/contract/${name}`)
    .filter((file) => /\b(storeKinds|startDynamoServer)\b/.test(readFileSync(file, 'utf8')))
}

/** Runs suites in a process of their own, against the server at an endpoint. */
async function judge(endpoint: string, suites: readonly string[]) {
  const file = join(folder, 'report.json')
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { status, output } = await runCommand(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'contract', ...reporters, ...suites],
    { cwd: process.cwd(), env: { ...Object.fromEntries(outer), DYNAMODB_ENDPOINT: endpoint } },
  )
  return { status, output, report: z.parse(report, JSON.parse(readFileSync(file, 'utf8'))) }
}

async function judgedByDynamoDbLocal(suites: readonly string[]) {
  const server = await startDynamoDbLocal('folder' in fetched ? fetched.folder : '')
  try {
    return { endpoint: server.endpoint, run: await judge(server.endpoint, suites) }
  } finally {
    await server.close()
  }
}

describe('DynamoDB Local', () => {
  it.skipIf(missing !== undefined)(
    'DynamoDB Local accepts every contract suite of the stores, and is what judged them',
    async () => {
      const suites = dynamoSuites()
      const { endpoint, run } = await judgedByDynamoDbLocal(suites)

      expect(run.report.numFailedTests, run.output).toBe(0)
      expect(run.status, run.output).toBe(0)
      expect(run.report.testResults.map(({ status }) => status)).toEqual(suites.map(() => 'passed'))
      expect(run.report.numPassedTests).toBeGreaterThan(0)
      expect(run.report.numPendingTests).toBe(0)
      console.info(`DynamoDB Local: ${run.report.numPassedTests} tests in ${suites.length} suites passed`)

      // The store is stopped by now: suites that asked another store would still pass.
      const orphaned = await judge(endpoint, ['test/contract/token-store.test.ts'])

      expect(orphaned.status).not.toBe(0)
      expect(orphaned.report.numPassedTests).toBeGreaterThan(0)
      expect(orphaned.report.numFailedTests + orphaned.report.numPendingTests).toBeGreaterThan(0)
    },
  )
})
