import { describe, expect, it } from 'vitest'
import { usualRateLimits } from '../../contracts/settings/rates.ts'
import { readSettings } from '../../lib/settings.ts'
import { synthesize } from './synthesized-app.ts'

const settingsFrom = (given: Record<string, unknown>) =>
  readSettings({ stage: 'test', engineHost: 'engine.example.internal', ...given })

it('a deployment needs a stage and the address of an engine, and nothing else', () => {
  expect(settingsFrom({})).toMatchObject({
    stage: 'test',
    engines: [{ host: 'engine.example.internal', port: 8021 }],
    zones: 2,
    connectorTasks: 2,
    allowedOrigins: [],
    publicUrl: '',
    environment: { LOG_LEVEL: 'info' },
  })
  expect(() => readSettings({ stage: 'test' })).toThrow(/^setting engineHost must be /)
  expect(() => readSettings({ engineHost: 'host' })).toThrow(/^setting stage must be /)
})

it('numbers may be written as numbers in the file of a stage', () => {
  expect(settingsFrom({ zones: 1, tokenSeconds: 3600 })).toMatchObject({
    zones: 1,
    environment: { TOKEN_SECONDS: '3600' },
  })
})

it('several engines are comma-separated, and one may have a port of its own', () => {
  expect(settingsFrom({ engineHost: '10.0.0.1, FS2.example.com:8022' }).engines).toEqual([
    { host: '10.0.0.1', port: 8021 },
    { host: 'fs2.example.com', port: 8022 },
  ])
})

it('allowed origins are a comma-separated list, whatever the spaces', () => {
  expect(settingsFrom({ allowedOrigins: 'https://a.example.com ,https://b.example.com:8443' }).allowedOrigins).toEqual([
    'https://a.example.com',
    'https://b.example.com:8443',
  ])
})

it('the rate limits are those of the contract unless the setting changes or removes them', () => {
  expect(settingsFrom({}).rateLimits).toBe(usualRateLimits)
  expect(settingsFrom({ rateLimits: 'off' }).rateLimits).toBe('off')
  expect(settingsFrom({ rateLimits: 'token=5/s:9, login=1/h' }).rateLimits).toBe('token=5/s:9, login=1/h')
})

it('the names that the operator adds are JSON text or an object', () => {
  const added = { tier: '[a-z]{1,8}', sip_h_X_Team: { pattern: '[0-9]+', force: true } }

  expect(settingsFrom({}).environment).not.toHaveProperty('CLIENT_VARIABLES')
  expect(settingsFrom({ clientVariables: JSON.stringify(added) }).environment['CLIENT_VARIABLES']).toBe(
    JSON.stringify(added),
  )
  expect(settingsFrom({ clientVariables: added }).environment['CLIENT_VARIABLES']).toBe(JSON.stringify(added))
})

const joined = { id: 'vpc-0a1b2c3d', routeTables: ['rtb-0a1b2c3d', 'rtb-1a1b2c3d'] }

it("the engines' VPC is an object or its JSON text, and by default there is none", () => {
  const addresses = { 'engine.example.internal': '10.0.1.10' }

  expect(settingsFrom({}).engineVpc).toBeUndefined()
  expect(settingsFrom({ engineVpc: joined }).engineVpc).toEqual({ ...joined, addresses: {} })
  expect(settingsFrom({ engineVpc: JSON.stringify({ ...joined, addresses }) }).engineVpc).toEqual({
    ...joined,
    addresses,
  })
})

it.each([
  ['vpc-1', /must be a JSON object with id/],
  [['vpc-0a1b2c3d'], /must be a JSON object with id/],
  [{ ...joined, id: 'pcx-0a1b2c3d' }, /must have the id of a VPC as id/],
  [{ ...joined, routeTables: [] }, /must have 1 to 50 ids of route tables/],
  [{ ...joined, routeTables: ['rtb-0a1b2c3d', 'rtb-0a1b2c3d'] }, /must have each route table once/],
  [{ ...joined, subnets: [] }, /must have no fields but id, routeTables and addresses/],
  [{ ...joined, addresses: { engine: '10.0.1.10' } }, /must have IPv4 addresses by host name as addresses/],
  [{ ...joined, addresses: { 'engine.example.internal': '10.0.1' } }, /must have IPv4 addresses by host name/],
  [
    { ...joined, addresses: { 'other.example.internal': '10.0.1.10' } },
    /must have addresses of hosts in engineHost only/,
  ],
  [
    { ...joined, addresses: { 'engine.example.internal': '10.1.1.10' } },
    /must have addresses inside engineNetwork only/,
  ],
])("%j is refused as the engines' VPC", (engineVpc, problem) => {
  expect(() => settingsFrom({ engineVpc })).toThrow(problem)
  expect(() => settingsFrom({ engineVpc })).toThrow(/^setting engineVpc must /)
})

it('the store of CDRs has two small nodes by default, and the set number and size otherwise', () => {
  expect(settingsFrom({}).search).toEqual({
    instanceType: 't3.small.search',
    instances: 2,
    volumeGb: 20,
    access: 'public',
  })
  expect(
    settingsFrom({ searchInstanceType: 'r7g.large.search', searchInstances: 1, searchVolumeGb: '500' }).search,
  ).toEqual({ instanceType: 'r7g.large.search', instances: 1, volumeGb: 500, access: 'public' })
})

it.each([
  [{}, undefined],
  [{ searchInstances: 2 }, undefined],
  [{ searchInstances: 4 }, '2'],
  [{ searchInstances: 9 }, '4'],
  [{ searchInstances: 80 }, '40'],
])('with %j a new index of CDRs has a shard for every second node', (given, shards) => {
  const { environment } = settingsFrom({ searchInstanceType: 'r7g.large.search', ...given })

  expect(environment['CDR_SHARDS']).toBe(shards)
})

/** A deployment would be refused for each of these, up to half an hour after its start. */
it.each([
  [
    { searchInstanceType: 't3.medium.search', searchVolumeGb: 201 },
    'searchVolumeGb must be 200 at most with t3.medium',
  ],
  [
    { searchInstanceType: 'c7g.large.search', searchVolumeGb: 257 },
    'searchVolumeGb must be 256 at most with c7g.large',
  ],
  [{ searchInstanceType: 'm7g.medium.search', searchVolumeGb: 513 }, 'searchVolumeGb must be 512 at most with m7g.med'],
  [
    { searchInstanceType: 'r8g.large.search', searchVolumeGb: 1533 },
    'searchVolumeGb must be 1532 at most with r8g.large',
  ],
  [{ searchInstanceType: 'or1.large.search', searchVolumeGb: 19 }, 'searchVolumeGb must be 20 at least with or1.large'],
  [
    { searchInstanceType: 't3.medium.search', searchInstances: 12 },
    'searchInstances must be 10 at most with t3.medium',
  ],
  [{ connectorNetwork: '10.0.9.0/24' }, 'connectorNetwork must be a network that does not overlap engineNetwork'],
  [{ engineNetwork: '0.0.0.0/0' }, 'connectorNetwork must be a network that does not overlap engineNetwork'],
  [{ connectorNetwork: '172.16.0.0/12' }, 'connectorNetwork must be a network from /16 to /27'],
  [{ connectorNetwork: '10.90.0.0/28' }, 'connectorNetwork must be a network from /16 to /27'],
  [
    { connectorNetwork: '10.90.0.0/28', zones: 1, connectorTasks: 4 },
    'connectorNetwork must be a network from /16 to /27',
  ],
  [{ connectorNetwork: '10.90.0.0/27', connectorTasks: 4, zones: 2 }, undefined],
  [{ connectorNetwork: '10.90.0.0/16', connectorTasks: 4 }, undefined],
  [{ searchInstanceType: 'm5.12xlarge.search', searchVolumeGb: 3000 }, undefined],
  [{ searchInstanceType: 'or2.medium.search', searchVolumeGb: 768, searchInstances: 80 }, undefined],
  [{ hookAllowedNetworks: '10.100.100.0/24,'.repeat(100).slice(0, -1) }, 'hookAllowedNetworks must be shorter: with '],
  [{ clientVariables: { tier: 'a'.repeat(1500) } }, 'clientVariables must be shorter: with the other settings'],
] as const)(
  'settings %j are refused before anything is deployed, with the values that are possible',
  (given, problem) => {
    const read = () => settingsFrom(given)

    if (problem === undefined) expect(read).not.toThrow()
    else expect(read).toThrow(`setting ${problem}`)
  },
)

it.each([
  'r5.medium.search',
  'm6g.16xlarge.search',
  'om2.medium.search',
  'constructor.large.search',
  't3.constructor.search',
  't3.small.search.search',
])('the instance type %s is refused, because there is none of that name with gp3 disks', (searchInstanceType) => {
  expect(() => settingsFrom({ searchInstanceType })).toThrow(/^setting searchInstanceType must be an instance type/)
})

it.each([
  ['r7g.large.search', 'm7g.large.search'],
  ['t3.medium.search', 't3.medium.search'],
  ['or1.large.search', 'm7g.large.search'],
])('a store of four %s nodes is managed by %s nodes', (searchInstanceType, manager) => {
  using made = synthesize({ settings: { searchInstanceType, searchInstances: 4, searchVolumeGb: 20 } })

  expect(made.assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch').Properties).toMatchObject({
    ClusterConfig: { DedicatedMasterCount: 3, DedicatedMasterType: manager, InstanceType: searchInstanceType },
  })
})

it.each([
  ['{"inbound_dialplan":"XML"}', /^setting clientVariables must not hold inbound_dialplan without "force": true/],
  ['{"user_context":{"pattern":".*","force":true}}', /^setting clientVariables must not hold user_context/],
  ['{"tier":"(a"}', /^setting clientVariables must hold regular expressions that match in linear time/],
])('the setting clientVariables refuses %s and says why', (clientVariables, problem) => {
  expect(() => settingsFrom({ clientVariables })).toThrow(problem)
})

describe.each([
  ['stage', ''],
  ['stage', 'Prod'],
  ['stage', 'a-name-that-is-too-long'],
  ['searchInstanceType', 'm3.large.search'],
  ['searchInstanceType', 'i3.large.search'],
  ['searchVolumeGb', '101'],
  ['searchInstances', '12'],
  ['engineConcurrency', '1001'],
  ['connectorCpu', '300'],
  ['connectorImage', 'docker.io/library/node:24'],
  ['connectorImage', '123456789012.dkr.ecr.eu-central-1.amazonaws.com/connector'],
  ['connectorBaseDigest', 'sha256:0a'],
  ['terminationProtection', 'yes'],
  ['requestsPerSecond', '0'],
  ['zones', '0'],
  ['zones', '3'],
  ['connectorTasks', '0'],
  ['connectorTasks', '5'],
  ['engineHost', ''],
  ['engineHost', 'esl://host:8021'],
  ['engineHost', 'host:0'],
  ['engineHost', 'host:65536'],
  ['engineHost', 'host,'],
  ['engineHost', 'host,HOST:8021'],
  ['engineHost', Array.from({ length: 33 }, (_, index) => `host-${index}`).join(',')],
  ['engineNetwork', '10.0.0.0'],
  ['connectorNetwork', '10.90.0.0/33'],
  ['connectorNetwork', '10.300.0.0/24'],
  ['publicUrl', 'http://api.example.com'],
  ['publicUrl', 'https://api.example.com/'],
  ['allowedOrigins', '*'],
  ['allowedOrigins', 'https://a.example.com/'],
  ['alarmEmail', 'nobody'],
  ['logLevel', 'loud'],
  ['tokenSeconds', '299'],
  ['tokenSeconds', '8640001'],
  ['passwordMinLength', '129'],
  ['deletionGraceSeconds', '59'],
  ['deletionGraceSeconds', '901'],
  ['scriptSteps', 'yes'],
  ['emergencyNumbers', '112,none'],
  ['emergencyGateway', 'a b'],
  ['contactHosts', 'a b'],
  ['contactHosts', '10.0.0.0/99'],
  ['hookAllowedNetworks', 'localhost'],
  ['clientVariables', 'tier'],
  ['clientVariables', ['tier']],
  ['clientVariables', 7],
  ['clientVariables', '{"tier":1}'],
  ['rateLimits', ''],
  ['rateLimits', 'on'],
  ['rateLimits', 'token=50'],
  ['rateLimits', 'token=50/d'],
  ['rateLimits', 'nobody=5/s'],
  ['rateLimits', 'token=0/s'],
  ['rateLimits', 'token=5/s,,'],
  ['searchInstanceType', 't3.small'],
  ['searchInstanceType', 'T3.small.search'],
  ['searchInstances', '0'],
  ['searchInstances', '5'],
  ['searchInstances', '82'],
  ['searchVolumeGb', '9'],
  ['searchVolumeGb', ''],
  ['engineHost', { host: 'fs' }],
])('the setting %s', (name, value) => {
  it(`the setting refuses ${JSON.stringify(value)} in a sentence that names it and does not repeat the value`, () => {
    const read = () => settingsFrom({ [name]: value })

    expect(read).toThrow(new RegExp(`^setting ${name} must be `))
    expect(read).not.toThrow(/\bgot\b/)
  })
})
