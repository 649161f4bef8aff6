import { type SecretName, secrets } from '../../contracts/resources.ts'
import type { Assembly } from '../assembly/assembly.ts'
import { secretText } from '../stores/secrets.ts'

/**
 * What each secret of the assembly holds, by ARN. Which secret is which is told by the variable that functions find it
 * by, or that the connector's container gets its value in.
 */
export function secretValues(
  assembly: Pick<Assembly, 'secrets' | 'functions'>,
  values: Readonly<Partial<Record<SecretName, string>>>,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  for (const [name, value] of Object.entries(values)) {
    const variable = new Map(Object.entries(secrets)).get(name)?.variable
    for (const { environment } of assembly.functions) {
      const secret = assembly.secrets.find(({ arn }) => arn === environment[variable ?? ''])
      if (secret !== undefined) known.set(secret.arn, secretText(secret, value))
    }
  }
  return known
}
