import * as z from 'zod/mini'
import { type Assembly, type FunctionHost, PlainError } from '@callplane/laptop'

const prepared = z.object({ notes: z.array(z.string()) })

/**
 * Calls the functions that prepare stores, as a deployment does, and waits for them. Returns their notes for people. A
 * store that cannot be prepared is a {@link PlainError}.
 */
export async function runPreparations(
  assembly: Pick<Assembly, 'preparations' | 'functions'>,
  host: Pick<FunctionHost, 'invoke'>,
): Promise<string[]> {
  const called = assembly.preparations.map(({ functionArn }) => {
    const found = assembly.functions.find(({ arn }) => arn === functionArn)
    if (found === undefined) throw new Error(`${functionArn} is not in the assembly`)
    return prepare(found.name, host)
  })
  return (await Promise.all(called)).flat()
}

async function prepare(name: string, host: Pick<FunctionHost, 'invoke'>): Promise<string[]> {
  try {
    return prepared.parse(await host.invoke(name, {})).notes
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PlainError(`a store could not be made ready (${name}): ${reason}`)
  }
}
