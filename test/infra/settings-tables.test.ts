import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { deploymentSettings, laptopSettings } from '../../contracts/settings/index.ts'
import * as connectorPart from '../../contracts/settings/connector.ts'
import * as deploymentPart from '../../contracts/settings/deployment.ts'
import * as operationPart from '../../contracts/settings/operation.ts'
import * as searchPart from '../../contracts/settings/search-store.ts'
import * as laptopPart from '../../contracts/settings/laptop.ts'
import * as platformPart from '../../contracts/settings/platform.ts'
import { engineVpc } from '../../contracts/settings/engine-vpc.ts'
import { existingStores } from '../../contracts/settings/existing-stores.ts'
import { clientVariables } from '../../contracts/settings/client-variables.ts'
import { type Setting, readText } from '../../contracts/settings/setting.ts'
import { readSettings as connectorSettings } from '../../connector/settings.ts'
import { readSettings as functionSettings } from '../../functions/endpoint/cloud.ts'
import { readSettings as deploymentReader } from '../../lib/settings.ts'
import { readSettings as laptopReader } from '../../local/settings/settings.ts'
import { deploymentTable, helpRows, laptopTable } from '../support/platform/settings-tables.ts'

const wayOut = 'run node test/support/write-settings.ts after a change of contracts/settings'
const declared: (Setting & { variable?: string; context?: string; readers?: readonly string[] })[] = [
  ...Object.values(platformPart),
  ...Object.values(connectorPart),
  ...Object.values(laptopPart),
  ...Object.values(deploymentPart),
  ...Object.values(operationPart),
  ...Object.values(searchPart),
  clientVariables,
  engineVpc,
  existingStores,
]

/** An environment that notes which variables are read. */
function watched(given: Readonly<Record<string, string>>): { env: Record<string, string>; read: Set<string> } {
  const read = new Set<string>()
  const env = new Proxy({ ...given }, { get: (all, name) => (read.add(String(name)), Reflect.get(all, name)) })
  return { env, read }
}

const namesOf = (reader: string) =>
  declared.flatMap(({ readers, variable }) => (variable !== undefined && readers?.includes(reader) ? [variable] : []))

it("the table of npm start's settings in the manual is generated from the declarations", () => {
  expect(readFileSync('docs/local-run.md', 'utf8').includes(`\n${laptopTable()}\n`), wayOut).toBe(true)
})

it("the runbook's table of a deployment's settings is generated from the declarations", () => {
  expect(readFileSync('docs/runbook.md', 'utf8').includes(`\n${deploymentTable()}\n`), wayOut).toBe(true)
})

it('the output of npm start -- --help has every declared setting', () => {
  expect(JSON.parse(readFileSync('local/settings/settings.json', 'utf8')), wayOut).toEqual(helpRows())
})

it('npm start reads exactly the declared settings, and the tables have each of them', () => {
  const { env, read } = watched({ ENGINE_URL: 'esl://:secret@192.0.2.1' })

  laptopReader(env)

  expect([...read].sort()).toEqual(namesOf('laptop').sort())
  expect(laptopSettings.map(({ variable }) => variable).sort()).toEqual(namesOf('laptop').sort())
})

it('the connector and its log read exactly the settings that are declared for it, and what its starter sets', () => {
  const { env, read } = watched({ ENGINE_URL: 'esl://:secret@192.0.2.1', HEALTH_PORT: '0' })

  connectorSettings(env)

  const wired = ['BUILD_VERSION', 'HEALTH_PORT', 'SPOOL_BYTES', 'SPOOL_DIR', 'STOP_SECONDS']
  expect([...read, 'LOG_LEVEL'].sort()).toEqual([...namesOf('connector'), ...wired].sort())
})

it('functions read exactly the settings that are declared for them, their version, and the client variables as text', () => {
  const { env, read } = watched({})

  functionSettings(env)

  expect([...read].sort()).toEqual([...namesOf('functions'), 'BUILD_VERSION', 'CLIENT_VARIABLES'].sort())
})

it('a deployment reads exactly the declared settings, and the table has each of them', () => {
  const { env, read } = watched({ stage: 'test', engineHost: 'engine.example.internal' })

  deploymentReader(env)

  const names = declared.flatMap(({ context }) => context ?? []).sort()
  expect([...read].sort()).toEqual(names)
  expect(deploymentSettings.map(({ context }) => context).sort()).toEqual(names)
})

it('each default is a valid value of its setting', () => {
  for (const { rule, fallback, deployment, laptop } of declared) {
    for (const text of [fallback, deployment?.fallback, laptop?.fallback]) {
      if (text !== undefined) expect(() => readText(rule(), text, 'the default')).not.toThrow()
    }
  }
})

it('the refusal of a value begins with the name of its setting and contains no part of the value', () => {
  const secret = 'zq7X'
  const texts = [
    secret,
    `${secret}\n\0`,
    `esl://:${secret}%@host`,
    `esl://:${secret}%0a@host`,
    `token=${secret}`,
    `{"${secret}":1}`,
    `{"a":"${secret}("}`,
    `https://${secret} host`,
    `../${secret}`,
  ]
  const refusals = declared.flatMap((setting) =>
    [setting.rule, setting.deployment?.rule].flatMap((rule) =>
      rule === undefined ? [] : texts.map((text) => messageOf(() => readText(rule(), text, 'THIS'))),
    ),
  )
  const given = refusals.filter((message) => message !== undefined)

  expect(given.length).toBeGreaterThan(declared.length * 3)
  expect(given.filter((message) => !message.startsWith('THIS ') || message.includes(secret))).toEqual([])
})

/** Returns the message of the error that is thrown; nothing without one. */
function messageOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return String(error).replace(/^Error: /, '')
  }
}
