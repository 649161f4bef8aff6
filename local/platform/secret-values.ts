import { type SecretName, secrets } from '../../contracts/resources.ts'
import { type Assembly, secretText } from '@callplane/laptop'

/**
 * Returns the content of each secret of the assembly, by ARN. A secret is identified by the variable through which
 * functions find it, or through which the connector's container gets its value.
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
