import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Client } from '../../../client/index.ts'
import { aPlatform, tenantPassword } from '../platform/platform.ts'
import { opened } from '../processes/opened.ts'
import { aCliUser } from './cli.ts'

/** Opens a platform with a domain whose admin `1000` uses the command line, for the tests around the call. */
export function signedInAdmin(domain: string) {
  const rig = opened(() => aPlatform())
  const user = aCliUser()
  let client: Client | undefined
  beforeAll(async () => {
    client = await rig().tenant(domain)
    await user.signIn({ url: rig().url, user: `1000@${domain}`, password: tenantPassword('1000') })
  })
  afterAll(() => user.remove())
  return {
    rig,
    user,
    /** Returns a client of the same admin. */
    admin: (): Client => {
      if (client === undefined) throw new Error('the admin is signed in only while tests run')
      return client
    },
    /** Returns the path of a file in the user's folder. */
    inFolder: (name: string) => join(user.folder, name),
  }
}
