import { type Identity, identify } from './identity.ts'
import { type Place, pseudoParameter } from './place.ts'
import { isRecord } from './record.ts'
import { type Scope, noValue, resolve } from './resolve.ts'
import type { Template, TemplateResource } from './template.ts'

/** The properties that a physical name is made from. Only these are resolved for it: others may refer in circles. */
const namingProperties = [
  'TableName',
  'QueueName',
  'FifoQueue',
  'BucketName',
  'Name',
  'AliasName',
  'RoleName',
  'FunctionName',
]

/** The surroundings of a stack. */
export interface StackSurroundings {
  readonly place: Place
  /** Returns the value of a parameter from the parent stack or the deployment; by default the template's own. */
  parameter(name: string): unknown
  exported(name: string): unknown
  stackOutput(stackName: string, output: string): unknown
  /** The nested stack of a resource of type `AWS::CloudFormation::Stack`. */
  nested(logicalId: string): Stack
}

/** One resource with its names, its properties resolved when asked for. */
export interface Resource {
  readonly logicalId: string
  readonly type: string
  readonly identity: Identity
  /** Returns one property with every intrinsic function resolved; `undefined` if it is missing. */
  property(name: string): unknown
  properties(): Readonly<Record<string, unknown>>
}

/** One stack of the assembly: its names can be looked up, its resources listed. */
export class Stack implements Scope {
  readonly name: string
  readonly #template: Template
  readonly #around: StackSurroundings
  readonly #identities = new Map<string, Identity>()

  constructor(name: string, template: Template, around: StackSurroundings) {
    this.name = name
    this.#template = template
    this.#around = around
  }

  resources(): Resource[] {
    return Object.entries(this.#template.Resources ?? {})
      .filter(([, { Condition }]) => Condition === undefined || this.condition(Condition))
      .map(([logicalId, resource]) => this.#describe(logicalId, resource))
  }

  /** The value of an output. Throws when the stack has none of that name. */
  output(name: string): unknown {
    const output = this.#template.Outputs?.[name]
    if (output === undefined) throw new Error(`stack ${this.name} has no output ${name}`)
    return resolve(output.Value, this)
  }

  exports(): Map<string, () => unknown> {
    const named = new Map<string, () => unknown>()
    for (const { Export, Value } of Object.values(this.#template.Outputs ?? {})) {
      if (Export !== undefined) named.set(String(resolve(Export.Name, this)), () => resolve(Value, this))
    }
    return named
  }

  ref(name: string): unknown {
    if (name === 'AWS::NoValue') return noValue
    const pseudo = pseudoParameter(this.#around.place, this.name, name)
    if (pseudo !== undefined) return pseudo
    const parameter = this.#template.Parameters?.[name]
    if (parameter !== undefined) {
      const value = this.#around.parameter(name) ?? parameter.Default
      if (value === undefined) throw new Error(`parameter ${name} of stack ${this.name} has neither value nor default`)
      return value
    }
    return this.#identity(name, this.#resource(name)).ref
  }

  attribute(logicalId: string, attribute: string): unknown {
    const resource = this.#resource(logicalId)
    const output = /^Outputs\.(.+)$/.exec(attribute)?.[1]
    if (resource.Type === 'AWS::CloudFormation::Stack' && output !== undefined) {
      return this.#around.nested(logicalId).output(output)
    }
    const identity = this.#identity(logicalId, resource)
    return identity.attributes[attribute] ?? `${identity.ref}.${attribute}`
  }

  exported(name: string): unknown {
    return this.#around.exported(name)
  }

  stackOutput(stackName: string, output: string): unknown {
    return this.#around.stackOutput(stackName, output)
  }

  condition(name: string): boolean {
    const condition = this.#template.Conditions?.[name]
    if (condition === undefined) throw new Error(`stack ${this.name} has no condition ${name}`)
    return resolve(condition, this) === true
  }

  mapped(map: string, key: string, name: string): unknown {
    const rows = this.#template.Mappings?.[map]
    const row = isRecord(rows) ? rows[key] : undefined
    if (!isRecord(row) || !(name in row)) throw new Error(`stack ${this.name} maps no ${map}.${key}.${name}`)
    return row[name]
  }

  /** Names are looked up when asked for: they may come from a nested stack that is read later. */
  #describe(logicalId: string, resource: TemplateResource): Resource {
    const identity = (): Identity => this.#identity(logicalId, resource)
    return {
      logicalId,
      type: resource.Type,
      get identity() {
        return identity()
      },
      property: (name) => this.#property(resource, name),
      properties: () => this.#properties(resource),
    }
  }

  #resource(logicalId: string): TemplateResource {
    const resource = this.#template.Resources?.[logicalId]
    if (resource === undefined) throw new Error(`stack ${this.name} has no resource or parameter ${logicalId}`)
    return resource
  }

  #property(resource: TemplateResource, name: string): unknown {
    const value = resolve(resource.Properties?.[name], this)
    return value === noValue ? undefined : value
  }

  #properties(resource: TemplateResource): Readonly<Record<string, unknown>> {
    const resolved = resolve(resource.Properties ?? {}, this)
    return isRecord(resolved) ? resolved : {}
  }

  #identity(logicalId: string, { Type, Properties }: TemplateResource): Identity {
    const known = this.#identities.get(logicalId)
    if (known !== undefined) return known
    const naming = Object.fromEntries(
      namingProperties.flatMap((name) => (Properties?.[name] === undefined ? [] : [[name, Properties[name]]])),
    )
    const resolved = resolve(naming, this)
    const identity = identify(this.#around.place, this.name, logicalId, Type, isRecord(resolved) ? resolved : {})
    this.#identities.set(logicalId, identity)
    return identity
  }
}
