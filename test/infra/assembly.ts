import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A value of a template: text, or a call of an intrinsic function. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

/** A resource of a template. */
export interface Resource {
  readonly Type: string
  readonly Properties: { readonly [name: string]: Value }
  readonly Metadata?: { readonly [name: string]: Value }
  readonly DependsOn?: readonly string[]
  readonly DeletionPolicy?: string
  readonly UpdateReplacePolicy?: string
}

interface Template {
  readonly Description?: string
  readonly Resources: Readonly<Record<string, Resource>>
  readonly Outputs?: Readonly<Record<string, { readonly Value: Value; readonly Export?: { readonly Name: string } }>>
  readonly Parameters?: Readonly<Record<string, Value>>
}

interface Manifest {
  readonly artifacts: Readonly<Record<string, { readonly properties?: { readonly stackName?: string } }>>
}

/** One stack of the assembly, nested or not. */
export interface Stack {
  readonly name: string
  readonly template: Template
  readonly bytes: number
}

/** A resource with its place. */
export interface Placed extends Resource {
  readonly id: string
  readonly stack: Stack
}

/** A synthesized app, read as data. */
export class Assembly {
  readonly stacks: readonly Stack[]
  /** The ids of the stacks by the names that they are deployed under. */
  private readonly deployed: ReadonlyMap<unknown, string>

  constructor(folder: string) {
    const { artifacts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
    this.deployed = new Map(Object.entries(artifacts).map(([id, { properties }]) => [properties?.stackName ?? id, id]))
    this.stacks = readdirSync(folder)
      .filter((file) => file.endsWith('.template.json'))
      .map((file) => {
        const text = readFileSync(join(folder, file), 'utf8')
        return {
          name: file.split('.')[0] ?? file,
          bytes: Buffer.byteLength(text),
          template: JSON.parse(text) as Template,
        }
      })
  }

  /** Every resource of a type, in all stacks. */
  ofType(type: string): Placed[] {
    return this.stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, resource]) => Object.assign({ id, stack }, resource)),
    )
  }

  /** The one resource of a type whose logical id starts so. */
  one(type: string, prefix: string): Placed {
    const found = this.ofType(type).filter(({ id }) => id.startsWith(prefix))
    const [only] = found
    if (only === undefined || found.length > 1) throw new Error(`${found.length} resources ${type} ${prefix}*`)
    return only
  }

  /**
   * A value as text: a reference becomes `<stack>/<logical id>` or `<stack>/<logical id>.<attribute>`, followed through
   * parameters of nested stacks and exports of other stacks to the resource that it means.
   */
  resolve(stack: Stack, value: Value | undefined): string {
    if (value === undefined || value === null) return ''
    if (typeof value !== 'object') return String(value)
    if (Array.isArray(value)) return value.map((part) => this.resolve(stack, part)).join(',')
    const [call] = Object.entries(value)
    if (call === undefined) return ''
    const [name, argument] = call
    if (name === 'Ref') return this.reference(stack, text(argument))
    if (name === 'Fn::GetAtt' && Array.isArray(argument)) return `${stack.name}/${argument.join('.')}`
    if (name === 'Fn::ImportValue') return this.imported(text(argument))
    if (name === 'Fn::GetStackOutput') return this.output(argument)
    if (name === 'Fn::Join' && Array.isArray(argument)) return this.joined(stack, argument)
    throw new Error(`no rule for ${name}`)
  }

  private reference(stack: Stack, id: string): string {
    if (id.startsWith('AWS::') || id in stack.template.Resources) return `${stack.name}/${id}`
    for (const nested of this.ofType('AWS::CloudFormation::Stack')) {
      const file = text(nested.Metadata?.['aws:asset:path'])
      const parameters = nested.Properties['Parameters']
      if (file.startsWith(`${stack.name}.`) && typeof parameters === 'object' && parameters && id in parameters) {
        return this.resolve(nested.stack, (parameters as Record<string, Value>)[id])
      }
    }
    throw new Error(`${stack.name} has no ${id}`)
  }

  private imported(name: string): string {
    for (const stack of this.stacks) {
      const output = Object.values(stack.template.Outputs ?? {}).find((candidate) => candidate.Export?.Name === name)
      if (output) return this.resolve(stack, output.Value)
    }
    throw new Error(`nothing exports ${name}`)
  }

  private output(argument: Value | undefined): string {
    const { StackName, OutputName } = argument as { readonly StackName: string; readonly OutputName: string }
    const stack = this.stacks.find(({ name }) => name === this.deployed.get(StackName))
    const output = stack?.template.Outputs?.[OutputName]
    if (stack === undefined || output === undefined) throw new Error(`${StackName} has no output ${OutputName}`)
    return this.resolve(stack, output.Value)
  }

  private joined(stack: Stack, [separator, parts]: readonly Value[]): string {
    if (!Array.isArray(parts)) throw new Error('a join needs a list')
    return parts.map((part) => this.resolve(stack, part)).join(text(separator))
  }
}

/** A value that must be text. */
export function text(value: Value | undefined): string {
  if (typeof value === 'string') return value
  throw new Error(`expected text, got ${JSON.stringify(value)}`)
}
