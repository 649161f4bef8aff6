/**
 * `npm run smoke -- --url <address>`: tries a platform as a user would after a deployment. Each step prints its time.
 * The first that fails is reported with its reason; then the domain is removed, with all that was made in it.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { CallplaneError, Client } from '../client/index.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { usageAsked } from './toolchain.mjs'

const usage = `Tries a running platform as a user would: logs in as root, makes a domain, an account and a hook, sends a test delivery,
searches, and removes all of it.

  --url URL        the platform's address, such as the output PublicUrl of a deployment; https, except on this machine
  --receiver URL   where the test delivery goes (GET); the platform's own /health unless given
  ROOT_PASSWORD    root's password (variable of the environment)`

if (usageAsked('npm run smoke', usage)) process.exit(0)
guardTerminals()
const { url, receiver } = readWords()

/** Ends the process with 2, and one sentence, when the words are wrong. */
function readWords(): { readonly url: string; readonly receiver: string } {
  const refuse = (problem: string): never => {
    console.error(`npm run smoke: ${problem}; npm run smoke -- --help shows what it takes`)
    process.exit(2)
  }
  try {
    const { values } = parseArgs({ options: { url: { type: 'string' }, receiver: { type: 'string' } } })
    const address = new URL(values.url ?? '')
    const isOwn = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(address.hostname)
    if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isOwn)) {
      return refuse("--url must begin with https://, since root's password is sent there")
    }
    if (address.username !== '' || address.password !== '') return refuse('--url must not contain a credential')
    if (process.env['ROOT_PASSWORD'] === undefined) return refuse('ROOT_PASSWORD must be set')
    return { url: address.href, receiver: new URL(values.receiver ?? '/health', address).href }
  } catch {
    return refuse('--url must be an address, and there are no other words than --url and --receiver')
  }
}

let steps = 0

async function step<T>(title: string, run: () => Promise<T>): Promise<T> {
  steps += 1
  const begun = performance.now()
  try {
    const result = await run()
    console.log(`${String(steps).padStart(2)}. ${title}: ${Math.round(performance.now() - begun)} ms`)
    return result
  } catch (error) {
    throw new Error(`${title}: ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  const isUnanswered = error instanceof CallplaneError && error.code === 'unreachable'
  if (isUnanswered) return `no answer from ${new URL(url).host}`
  return error instanceof Error ? error.message : String(error)
}

/** Each step is one request: what has to be repeated is a failure. */
const connection = { url, retries: 0 }

async function logInAs(username: string, password: string): Promise<Client> {
  const token = await new Client(connection).call('logIn', { body: { username, password } })
  return new Client({ ...connection, token })
}

async function useDomain(root: Client, domain: string): Promise<void> {
  const password = randomBytes(18).toString('base64url')
  const login = '1000'
  await step('Create an account', () =>
    root.call('createAccount', { query: { domain }, body: { login, password, role: 'admin' } }),
  )
  const admin = await step('Log in as that account', () => logInAs(`${login}@${domain}`, password))
  const { data } = await step('Create a hook', () =>
    admin.call('createHooks', {
      body: { event: 'CHANNEL_ANSWER', action: { type: 'web', method: 'GET', url: receiver } },
    }),
  )
  const hook_id = data.insertedIds[0] ?? ''
  await step(`Send a test delivery to ${new URL(receiver).host}`, async () => {
    const { data: sent } = await admin.call('testHook', { params: { hook_id }, body: {} })
    if (sent.state !== 'delivered') throw new Error(`the delivery ${sent.state}: ${sent.reason ?? 'no reason given'}`)
  })
  await step('Search call detail records', () => admin.call('searchCdrs', { body: { query: '*' } }))
  await step('Read the status', () => admin.call('readStatus'))
  await step('Remove the hook', () => admin.call('deleteHook', { params: { hook_id } }))
  await step('Remove the account', () =>
    root.call('deleteAccount', { params: { account_id: login }, query: { domain } }),
  )
}

async function walk(): Promise<void> {
  await step('Ask for the health', () => new Client(connection).call('readHealth'))
  const root = await step('Log in as root', () => logInAs('root', process.env['ROOT_PASSWORD'] ?? ''))
  const domain = `smoke-${randomBytes(6).toString('hex')}.example.com`
  const removeDomain = () =>
    step('Remove the domain', () => root.call('deleteDomain', { params: { domain_name: domain } }))
  try {
    await step(`Create the domain ${domain}`, () =>
      root.call('createDomain', { body: { domain_name: domain, customer_id: 'smoke' } }),
    )
    await useDomain(root, domain)
  } catch (error) {
    await removeDomain().catch((problem: unknown) => console.error(reasonOf(problem)))
    throw error
  }
  await removeDomain()
}

await walk().then(
  () => console.log('everything works'),
  (error: unknown) => {
    console.error(`smoke failed: ${reasonOf(error)}`)
    process.exitCode = 1
  },
)
