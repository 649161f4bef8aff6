import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type Assets, readAssets } from './assets.ts'
import type { Place } from './place.ts'
import { isRecord } from './record.ts'
import { Stack } from './stack.ts'
import { type Template, template } from './template.ts'

const manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ type: z.string(), properties: z.optional(z.record(z.string(), z.unknown())) }),
  ),
})

const stackProperties = z.object({ templateFile: z.string(), stackName: z.optional(z.string()) })

/** Every stack of a cloud assembly, nested ones too, and its assets. */
export interface Stacks {
  readonly stacks: readonly Stack[]
  readonly assets: Assets
}

/**
 * Reads a cloud assembly's folder. `parameters` gives values for parameters of the top-level stacks that have no
 * default. Throws when the folder holds no assembly of the form that the CDK writes.
 */
export function readStacks(directory: string, place: Place, parameters: Readonly<Record<string, string>> = {}): Stacks {
  const { artifacts } = z.parse(manifest, JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')))
  const ofType = (type: string) => Object.entries(artifacts).filter(([, artifact]) => artifact.type === type)
  const assets = readAssets(
    directory,
    ofType('cdk:asset-manifest').map(([, { properties }]) => String(properties?.['file'])),
  )
  const stacks: Stack[] = []
  const exported = (name: string): unknown => {
    for (const stack of stacks) {
      const value = stack.exports().get(name)
      if (value !== undefined) return value()
    }
    throw new Error(`no stack exports ${name}`)
  }
  const deployed = new Map<string, Stack>()
  const stackOutput = (stackName: string, output: string): unknown => {
    const stack = deployed.get(stackName)
    if (stack === undefined) throw new Error(`the assembly has no stack ${stackName}`)
    return stack.output(output)
  }
  const add = (name: string, parsed: Template, parameter: (name: string) => unknown): Stack => {
    const children = new Map<string, Stack>()
    const stack: Stack = new Stack(name, parsed, {
      place,
      parameter,
      exported,
      stackOutput,
      nested: (logicalId) => {
        const child = children.get(logicalId)
        if (child === undefined) throw new Error(`stack ${name} has no nested stack ${logicalId}`)
        return child
      },
    })
    stacks.push(stack)
    for (const resource of stack.resources()) {
      if (resource.type !== 'AWS::CloudFormation::Stack') continue
      const path = assets.file(assetName(String(resource.property('TemplateURL'))))
      const given = (key: string): unknown => {
        const all = resource.property('Parameters')
        return isRecord(all) ? all[key] : undefined
      }
      children.set(resource.logicalId, add(resource.identity.ref, readTemplate(path), given))
    }
    return stack
  }
  for (const [id, { properties }] of ofType('aws:cloudformation:stack')) {
    const { templateFile, stackName } = z.parse(stackProperties, properties)
    // Named by its id: names of tables on disk come from it, and must not change with the stage.
    const stack = add(id, readTemplate(join(directory, templateFile)), (name) => parameters[name])
    deployed.set(stackName ?? id, stack)
  }
  return { stacks, assets }
}

function readTemplate(path: string): Template {
  return z.parse(template, JSON.parse(readFileSync(path, 'utf8')))
}

/** Returns the name of an asset at the end of the address that it is published under. */
export function assetName(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1)
}
