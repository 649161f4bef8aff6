/**
 * `npm run smoke -- --url <address>`: tries a platform as a user would after a deployment. Each step prints its time.
 * The first that fails is reported with its reason; then the domain is removed, with all that was made in it.
 */
import { parseArgs } from 'node:util'
import { guardTerminals } from './processes/guard-terminals.ts'
import { type Trial, messageOf, tryPlatform } from './smoke/try-platform.ts'
import { usageAsked } from './toolchain.mjs'

const usage = `Tries a running platform as a user would: logs in as root, makes a domain, an account and a hook, sends a test delivery,
searches, and removes all of it.

  --url URL        the platform's address, such as the output PublicUrl of a deployment; https, except on this machine
  --receiver URL   where the test delivery goes (GET); the platform's own /health unless given, or /docs without engine
  --without-engine accept a platform that is not linked to its engines yet
  ROOT_PASSWORD    root's password (variable of the environment)`

if (usageAsked('npm run smoke', usage)) process.exit(0)
guardTerminals()
const words = { url: { type: 'string' }, receiver: { type: 'string' }, 'without-engine': { type: 'boolean' } } as const

/** Ends the process with 2, and one sentence, when the words are wrong. */
function readWords(): Trial {
  const refuse = (problem: string): never => {
    console.error(`npm run smoke: ${problem}; npm run smoke -- --help shows what it takes`)
    process.exit(2)
  }
  try {
    const { values } = parseArgs({ options: words })
    const address = new URL(values.url ?? '')
    const isOwn = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(address.hostname)
    if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isOwn)) {
      return refuse("--url must begin with https://, since root's password is sent there")
    }
    if (address.username !== '' || address.password !== '') return refuse('--url must not contain a credential')
    const rootPassword = process.env['ROOT_PASSWORD']
    if (rootPassword === undefined) return refuse('ROOT_PASSWORD must be set')
    const needsEngine = values['without-engine'] !== true
    // Without an engine the health is 503, which would be a failed delivery.
    const receiver = new URL(values.receiver ?? (needsEngine ? '/health' : '/docs'), address).href
    return { url: address.href, receiver, rootPassword, needsEngine, say: (line) => console.log(line) }
  } catch {
    return refuse('--url must be an address, and there are no other words than --url, --receiver and --without-engine')
  }
}

await tryPlatform(readWords()).then(
  () => console.log('everything works'),
  (error: unknown) => {
    console.error(`smoke failed: ${messageOf(error)}`)
    process.exitCode = 1
  },
)
