import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readStageFile } from '../../lib/stage-file.ts'
import { readSettings } from '../../lib/settings.ts'
import { appWith } from './synthesized-app.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Reads a stage of a project whose folder of settings holds `one.json`, and `one.local.json` where it is given. */
function read(context: Readonly<Record<string, unknown>>, file = '{}', local?: string) {
  const root = mkdtempSync(join(tmpdir(), 'callplane-stage-'))
  folders.push(root)
  mkdirSync(join(root, 'settings'))
  writeFileSync(join(root, 'settings', 'one.json'), file)
  if (local !== undefined) writeFileSync(join(root, 'settings', 'one.local.json'), local)
  writeFileSync(join(root, 'settings', 'own.local.json'), '{"engineHost":"10.0.0.7"}')
  return readStageFile(root, (name) => context[name])
}

/** Without the settings of the one who runs the tests. */
const committed = (stage: string) => {
  const context: Readonly<Record<string, string>> = { stage, localSettings: 'off' }
  return readStageFile(process.cwd(), (name) => context[name])
}

it('the settings of a stage are those of its file', () => {
  expect(read({ stage: 'one' }, '{"engineHost":"10.0.0.9","zones":1}')).toEqual({
    stage: 'one',
    engineHost: '10.0.0.9',
    zones: 1,
  })
})

it("the operator's own settings replace those of the file, and no file of the repository has them", () => {
  const [file, own] = ['{"engineHost":"10.0.0.9","zones":1}', '{"engineHost":"10.0.0.8","searchVolumeGb":100}']

  expect(read({ stage: 'one' }, file, own)).toEqual({
    stage: 'one',
    engineHost: '10.0.0.8',
    zones: 1,
    searchVolumeGb: 100,
  })
  expect(read({ stage: 'one', localSettings: 'off' }, file, own)).toEqual({
    stage: 'one',
    engineHost: '10.0.0.9',
    zones: 1,
  })
  expect(() => read({ stage: 'one' }, file, '{"zone":1}')).toThrow('settings/one.local.json has no setting that is')
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('settings/*.local.json')
})

it('a stage may have a file of the operator alone', () => {
  expect(read({ stage: 'own' })).toEqual({ stage: 'own', engineHost: '10.0.0.7' })
})

it.each([
  ['no stage', {}, '{}', 'choose a stage with -c stage=<name>; the folder settings has one, own'],
  ['an empty stage', { stage: '' }, '{}', 'choose a stage with -c stage=<name>'],
  ['a stage that leaves the folder', { stage: '../one' }, '{}', 'context value stage must be'],
  ['a stage without a file', { stage: 'two' }, '{}', 'there is no settings/two.json; the folder settings has one, own'],
  [
    'a setting in the context',
    { stage: 'one', engineHost: 'h' },
    '{}',
    'engineHost belongs in settings/one.local.json',
  ],
  [
    'an unknown setting',
    { stage: 'one' },
    '{"engineHots":"h"}',
    'settings/one.json has no setting that is called engineHots',
  ],
  ['a stage inside of its file', { stage: 'one' }, '{"stage":"two"}', 'has no setting that is called stage'],
  ['a list', { stage: 'one' }, '[]', 'settings/one.json must be a JSON object'],
  ['text that is no JSON', { stage: 'one' }, '{', 'settings/one.json must be a JSON object'],
])('a deployment with %s is refused with the way out', (_what, context, file, problem) => {
  expect(() => read(context, file)).toThrow(problem)
})

it('the stage dev is cheap: one zone, one connector, one of the smallest search nodes', () => {
  const dev = appWith(committed('dev'))
  const [service] = dev.assembly.ofType('AWS::ECS::Service')

  expect(service?.Properties['DesiredCount']).toBe(1)
  expect(dev.assembly.ofType('AWS::EC2::Subnet')).toHaveLength(1)
  expect(dev.assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch').Properties['ClusterConfig']).toMatchObject({
    InstanceType: 't3.small.search',
    InstanceCount: 1,
  })
})

it('the stage prod survives the loss of a zone, and is refused until it names its engine', () => {
  expect(() => readSettings(committed('prod'))).toThrow(/^setting engineHost must be /)

  const prod = appWith({ ...committed('prod'), engineHost: '10.20.0.10' })
  const [service] = prod.assembly.ofType('AWS::ECS::Service')

  expect(service?.Properties['DesiredCount']).toBe(2)
  expect(prod.assembly.ofType('AWS::EC2::Subnet')).toHaveLength(2)
  expect(prod.assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch').Properties['ClusterConfig']).toMatchObject({
    InstanceCount: 2,
    ZoneAwarenessEnabled: true,
  })
})

it('an alarm reports a missing connector when fewer run than the stage has', () => {
  const dev = appWith({ ...committed('dev'), monitoring: 'full' })

  const missing = dev.assembly.one('AWS::CloudWatch::Alarm', 'ConnectorsMissing')

  expect(missing.Properties).toMatchObject({ Threshold: 5, ComparisonOperator: 'LessThanThreshold' })
})
