/** The deployment of the stage dev by the real command line tool, to an emulated control plane on loopback. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Change,
  type ControlPlane,
  environment,
  startControlPlane,
} from '../support/control-plane/control-plane.ts'
import { pythonTools } from '../support/control-plane/python-tools.ts'
import { runCommand } from '../support/platform/command.ts'

const bin = pythonTools('no deployment is tried at an emulated control plane')

const deploy = ['deploy', '--all', '--require-approval', 'never', '--progress', 'events', '--app']
const destroy = ['destroy', '--all', '--force', '--app']
const changedApp = 'node test/support/control-plane/changed-app.ts'

/** The stacks in the order of an upgrade: consumers of commands and messages before those that send them. */
const inOrder = ['Stateful', 'Search', 'Workers', 'Connector', 'Api'].map((name) => `Callplane${name}-dev`)

/** The types that hold data, and stay when everything else is removed. */
const holdData = new Set(
  [
    'DynamoDB::Table',
    'KMS::Key',
    'OpenSearchService::Domain',
    'S3::Bucket',
    'SecretsManager::Secret',
    'SQS::Queue',
  ].map((type) => `AWS::${type}`),
)

/** The stacks that were brought to an end, in order, such as `CallplaneApi-dev CREATE_COMPLETE`. */
function stacksIn(output: string): string[] {
  const ends = output.matchAll(/^(Callplane\w+-dev) .*\| (\w+_COMPLETE) +\| AWS::CloudFormation::Stack +\| \1 *$/gm)
  return [...ends].map(([, name, status]) => `${name} ${status}`)
}

/** Changes by part, such as `DELETE_COMPLETE HoldChannel`, without the stacks themselves. */
function inShort(changes: readonly Change[]): string[] {
  const part = (id: string) =>
    /^(?:EnginePeering(?:From|To|Zone)?|HoldChannel|TakeRecord(?:Again)?|Api|Deployment|Stage|RemoveExpiredRecordings|More|Deliver(?=Handler))/.exec(
      id,
    )?.[0] ?? id
  const resources = changes.filter(({ type }) => type !== 'AWS::CloudFormation::Stack')
  return [...new Set(resources.map(({ status, id }) => `${status} ${part(id)}`))].toSorted()
}

/** The network of engines that a setting joins, and what is made for it: peering, a route on each side, a name. */
const engineVpc = {
  id: 'vpc-0a1b2c3d',
  routeTables: ['rtb-0a1b2c3d'],
  addresses: { 'engine.callplane.internal': '10.0.1.10' },
}
const joined = ['EnginePeering', 'EnginePeeringFrom', 'EnginePeeringTo', 'EnginePeeringZone']

describe.skipIf(bin === undefined)('a deployment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-deployment-'))
  const [usual = '', changed = '', joining = '', guarded = '', watched = ''] = [
    'usual',
    'changed',
    'joining',
    'guarded',
    'watched',
  ].map((name) => join(folder, name))
  let control: ControlPlane
  const cdk = async (...words: readonly string[]) => control.cdk(words)
  const succeed = async (...words: readonly string[]) => {
    const { status, output, changes } = await cdk(...words)
    expect(status, output).toBe(0)
    return { output, changes }
  }

  beforeAll(async () => {
    control = await startControlPlane(bin ?? '')
    await succeed('synth', '--quiet', '-c', 'stage=dev', '-c', 'localSettings=off', '-o', usual)
    await succeed('bootstrap', environment, '--app', usual)
  })
  afterAll(async () => {
    await control.close()
    rmSync(folder, { recursive: true })
  })

  it('a first deployment whose stores fail is rolled back, and leaves only empty tables', async () => {
    control.fail(['SocketSecret'])

    const { status, output, changes } = await cdk(...deploy, usual)

    expect(status).toBe(1)
    expect(stacksIn(output)).toEqual(['CallplaneStateful-dev ROLLBACK_COMPLETE'])
    const count = (end: string) =>
      changes.filter((change) => change.status === end && change.type !== 'AWS::DynamoDB::Table')
    expect(count('CREATE_COMPLETE').length).toBeGreaterThan(10)
    expect(count('DELETE_COMPLETE')).toHaveLength(count('CREATE_COMPLETE').length)
  })

  it('a first deployment that failed can be repeated, and a failing search store does not affect the other stores', async () => {
    control.fail(['CdrSearchDomain'])

    const { status, output } = await cdk(...deploy, usual)

    expect(status).toBe(1)
    expect(stacksIn(output)).toEqual(['CallplaneStateful-dev CREATE_COMPLETE', 'CallplaneSearch-dev ROLLBACK_COMPLETE'])
  })

  it('a deployment creates the stacks in the order of an upgrade', async () => {
    control.fail([])

    const { output } = await succeed(...deploy, usual)

    expect(stacksIn(output)).toEqual(inOrder.slice(1).map((name) => `${name} CREATE_COMPLETE`))
  })

  it('a second deployment of the same sources changes nothing', async () => {
    const { output, changes } = await succeed(...deploy.slice(0, -1), '-c', 'stage=dev', '-c', 'localSettings=off')

    expect(output.match(/\(no changes\)/g)).toHaveLength(inOrder.length)
    expect(changes).toEqual([])
  })

  it('a schedule and an endpoint can be removed and a queue added, and nothing else changes', async () => {
    await succeed('synth', '--quiet', '--app', changedApp, '-o', changed)

    const { changes } = await succeed(...deploy, changed)

    expect(inShort(changes)).toEqual([
      'CREATE_COMPLETE Deployment',
      'CREATE_COMPLETE More',
      'DELETE_COMPLETE Deployment',
      'DELETE_COMPLETE HoldChannel',
      'DELETE_COMPLETE RemoveExpiredRecordings',
      'UPDATE_COMPLETE Api',
      'UPDATE_COMPLETE Deliver',
      'UPDATE_COMPLETE Stage',
    ])
  })

  it('a queue that another stack names can be removed again', async () => {
    const { changes } = await succeed(...deploy, usual)

    expect(inShort(changes)).toEqual([
      'CREATE_COMPLETE Deployment',
      'CREATE_COMPLETE HoldChannel',
      'CREATE_COMPLETE RemoveExpiredRecordings',
      'DELETE_COMPLETE Deployment',
      'DELETE_COMPLETE More',
      'UPDATE_COMPLETE Api',
      'UPDATE_COMPLETE Deliver',
      'UPDATE_COMPLETE Stage',
    ])
  })

  it('a route of engines can be added, renamed and removed, and every route keeps its throttle and its function', async () => {
    const made = await runCommand(process.execPath, ['test/support/control-plane/changed-routes.ts', folder], {
      cwd: process.cwd(),
    })
    expect(made.status, made.output).toBe(0)
    const throttled = ['cdr', 'dialplan', 'directory', 'recordings', 'voicemail'].map((name) => `POST /engine/${name}`)
    const steps = [
      { app: 'a-route-is-added', more: ['POST /engine/record'], created: ['TakeRecord'], deleted: [] },
      {
        app: 'it-is-renamed',
        more: ['POST /engine/records'],
        created: ['TakeRecordAgain'],
        deleted: ['TakeRecord'],
      },
      { app: 'it-is-removed', more: [], created: [], deleted: ['TakeRecordAgain'] },
    ]
    for (const { app, more, created, deleted } of steps) {
      const { changes } = await succeed(
        'deploy',
        'CallplaneApi',
        '--exclusively',
        ...deploy.slice(2),
        join(folder, app),
      )

      const served = await control.served()
      expect(served?.throttled, app).toEqual([...throttled, ...more].toSorted())
      expect(served?.routes, app).toEqual(expect.arrayContaining(more))
      expect(served?.broken, app).toEqual([])
      expect(inShort(changes), app).toEqual(
        [
          ...['Deployment', ...created].map((id) => `CREATE_COMPLETE ${id}`),
          ...['Deployment', ...deleted].map((id) => `DELETE_COMPLETE ${id}`),
          'UPDATE_COMPLETE Api',
          'UPDATE_COMPLETE Stage',
        ].toSorted(),
      )
    }
  })

  it('an update of the API that fails is rolled back to the routes and functions of before', async () => {
    const before = await control.served()
    control.fail(['Deployment'])

    const added = join(folder, 'a-route-is-added')
    const { status } = await cdk('deploy', 'CallplaneApi', '--exclusively', ...deploy.slice(2), added)

    control.fail([])
    expect(status).toBe(1)
    const after = await control.served()
    expect(after?.routes).toEqual(before?.routes)
    expect(after?.broken).toEqual([])
  })

  it("the setting for an engines' network peers with it, and changes nothing else", async () => {
    await succeed('synth', '--quiet', '--app', `${changedApp} '${JSON.stringify({ engineVpc })}'`, '-o', joining)

    const { changes } = await succeed(...deploy, joining)

    expect(inShort(changes)).toEqual(joined.map((id) => `CREATE_COMPLETE ${id}`))
  })

  it("a deployment without the setting removes the peering with the engines' network", async () => {
    await succeed('synth', '--quiet', '--app', `${changedApp} '{"terminationProtection":"on"}'`, '-o', guarded)

    const { changes } = await succeed(...deploy, guarded)

    expect(inShort(changes)).toEqual(joined.map((id) => `DELETE_COMPLETE ${id}`))
  })

  it('the setting for monitoring adds all alarms and the dashboard to a stage, and changes nothing else', async () => {
    await succeed(
      'synth',
      '--quiet',
      '--app',
      `${changedApp} '{"monitoring":"full","terminationProtection":"on"}'`,
      '-o',
      watched,
    )

    const { output, changes } = await succeed(...deploy, watched)

    expect(stacksIn(output).at(-1)).toBe('CallplaneMonitoring-dev CREATE_COMPLETE')
    const types = new Set(changes.map(({ type }) => type.replace('AWS::CloudWatch::', '')))
    types.delete('AWS::CloudFormation::Stack')
    expect(types).toEqual(new Set(['Alarm', 'AWS::Logs::MetricFilter', 'Dashboard', 'InsightRule']))
  })

  it('a store with termination protection cannot be removed', async () => {
    const { status, output, changes } = await cdk(...destroy, watched)

    expect(output).toContain('TerminationProtection is enabled')
    expect(status).toBe(1)
    expect(changes.filter(({ stack }) => /Stateful|Search/.test(stack))).toEqual([])
  })

  it('removing a stage retains its data stores, and nothing else', async () => {
    await succeed(...deploy, usual)

    const { changes } = await succeed(...destroy, usual)

    expect(changes.filter(({ type }) => holdData.has(type))).toEqual([])
    expect(changes.length).toBeGreaterThan(250)
  })
})
