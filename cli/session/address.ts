import { CliError, exitCodes } from '../failure/exit.ts'

/** Where an address was given and what will be sent to it, for messages. */
export interface AddressUse {
  readonly source: string
  readonly secret: 'password' | 'token'
  /** The way out for an `http://` address of another machine. */
  readonly wayOut: string
  readonly isInsecureAllowed?: boolean
}

/** Returns the address of a platform. Throws for one that would send a secret in clear text over a network. */
export function checkAddress(url: string, { source, secret, wayOut, isInsecureAllowed }: AddressUse): string {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !['http:', 'https:'].includes(address.protocol)) {
    throw new CliError(
      `${source} must be an address such as https://api.example.com, got ${JSON.stringify(url)}`,
      exitCodes.usage,
    )
  }
  if (address.username !== '' || address.password !== '') {
    throw new CliError(`${source} must not contain a user name or a password`, exitCodes.usage)
  }
  const isOwn = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(address.hostname)
  if (address.protocol === 'http:' && !isOwn && isInsecureAllowed !== true) {
    throw new CliError(
      `${source}: http://${address.host} would send the ${secret} in clear text: ${wayOut}`,
      exitCodes.usage,
    )
  }
  return address.href.replace(/\/+$/, '')
}
