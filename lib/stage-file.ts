import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stage as stageSetting } from '../contracts/settings/connector.ts'
import { deploymentSettings } from '../contracts/settings/index.ts'
import { readText } from '../contracts/settings/setting.ts'
import type { GivenSettings } from './settings.ts'

const names: readonly string[] = deploymentSettings
  .map(({ context }) => context)
  .filter((name) => name !== stageSetting.context)

/** The context value with which the committed settings of a stage are read alone: for a laptop and for checks. */
const localSettings = 'localSettings'

/**
 * Reads the settings of the stage that was chosen with `-c stage=<name>`: the defaults of `settings/<name>.json`, with
 * those of `settings/<name>.local.json` over them, which is the operator's and in no repository. Either file will do.
 * `contextValue` looks up a value of the CDK context. Throws a sentence with the way out when no stage is chosen, a
 * file cannot be read, or a setting stands in the context, where the next deployment would not find it.
 */
export function readStageFile(root: string, contextValue: (name: string) => unknown): GivenSettings {
  const folder = join(root, 'settings')
  const chosen = contextValue(stageSetting.context)
  const stages = readdirSync(folder).flatMap((file) => /^([^.]+)(?:\.local)?\.json$/.exec(file)?.[1] ?? [])
  const known = [...new Set(stages)].sort().join(', ')
  if (typeof chosen !== 'string' || chosen === '') {
    throw new Error(`choose a stage with -c stage=<name>; the folder settings has ${known}`)
  }
  const stage = readText(stageSetting.deployment.rule(), chosen, 'context value stage')
  const misplaced = names.find((name) => contextValue(name) !== undefined)
  if (misplaced !== undefined) {
    throw new Error(
      `${misplaced} belongs in settings/${stage}.local.json: from -c or cdk.json the next deployment may not take it`,
    )
  }
  const files = [`${stage}.json`, ...(contextValue(localSettings) === 'off' ? [] : [`${stage}.local.json`])]
  const present = files.filter((file) => existsSync(join(folder, file)))
  if (present.length === 0) {
    throw new Error(`there is no settings/${stage}.json; the folder settings has ${known}`)
  }
  const layers = present.map((file) => fieldsOf(readFileSync(join(folder, file), 'utf8'), `settings/${file}`))
  return { ...Object.assign({}, ...layers), stage }
}

function fieldsOf(text: string, name: string): GivenSettings {
  const given = parsed(text)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Error(`${name} must be a JSON object with the names and values of settings`)
  }
  const fields: GivenSettings = Object.fromEntries(Object.entries(given))
  const unknown = Object.keys(fields).filter((field) => !names.includes(field))
  if (unknown.length > 0) throw new Error(`${name} has no setting that is called ${unknown.join(', ')}`)
  return fields
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
