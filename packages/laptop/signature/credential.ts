import { randomBytes } from 'node:crypto'

/** The credential with which a role signs its calls. Created at every start, and useless outside it. */
export interface Credential {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly roleArn: string
}

/**
 * Returns a new credential for a role; the forms are those of temporary credentials: `ASIA…`, 40 characters, a long
 * token.
 */
export function issueCredential(roleArn: string): Credential {
  return {
    accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(48).toString('base64'),
    roleArn,
  }
}
