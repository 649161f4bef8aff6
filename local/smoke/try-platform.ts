import { randomBytes } from 'node:crypto'
import { CallplaneError, Client } from '../../client/index.ts'

/** The platform that is tried, and how. */
export interface Trial {
  readonly url: string
  /** The address that the test delivery goes to. */
  readonly receiver: string
  readonly rootPassword: string
  /** Whether a link to every engine is required; without one the health of the platform is 503. */
  readonly needsEngine: boolean
  /** Takes each line of the report. */
  readonly say: (line: string) => void
}

/**
 * Tries a platform as a user would, step by step. Throws an error that names the first step that failed, after it has
 * removed the domain with all that was made in it.
 */
export async function tryPlatform(trial: Trial): Promise<void> {
  const step = stepsOf(trial)
  await step('Ask for the health', () => askForHealth(trial))
  const root = await step('Log in as root', () => logInAs(trial.url, 'root', trial.rootPassword))
  const domain = `smoke-${randomBytes(6).toString('hex')}.example.com`
  const removeDomain = () =>
    step('Remove the domain', () => root.call('deleteDomain', { params: { domain_name: domain } }))
  try {
    await step(`Create the domain ${domain}`, () =>
      root.call('createDomain', { body: { domain_name: domain, customer_id: 'smoke' } }),
    )
    await useDomain(trial, { root, domain, step })
  } catch (error) {
    await removeDomain().catch((problem: unknown) => trial.say(messageOf(problem)))
    throw error
  }
  await removeDomain()
}

type Step = <T>(title: string, run: () => Promise<T>) => Promise<T>

function stepsOf({ url, say }: Trial): Step {
  let steps = 0
  return async (title, run) => {
    steps += 1
    const begun = performance.now()
    try {
      const result = await run()
      say(`${String(steps).padStart(2)}. ${title}: ${Math.round(performance.now() - begun)} ms`)
      return result
    } catch (error) {
      const isUnanswered = error instanceof CallplaneError && error.code === 'unreachable'
      const reason = isUnanswered ? `no answer from ${new URL(url).host}` : messageOf(error)
      throw new Error(`${title}: ${reason}`, { cause: error })
    }
  }
}

/** Returns what an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Each step is one request: what has to be repeated is a failure. */
const retries = 0

async function askForHealth({ url, needsEngine }: Trial): Promise<void> {
  try {
    await new Client({ url, retries }).call('readHealth')
  } catch (error) {
    const isWithoutEngine = error instanceof CallplaneError && error.status === 503
    if (needsEngine || !isWithoutEngine) throw error
  }
}

async function logInAs(url: string, username: string, password: string): Promise<Client> {
  const token = await new Client({ url, retries }).call('logIn', { body: { username, password } })
  return new Client({ url, retries, token })
}

async function useDomain(
  { url, receiver }: Trial,
  { root, domain, step }: { readonly root: Client; readonly domain: string; readonly step: Step },
): Promise<void> {
  const password = randomBytes(18).toString('base64url')
  const login = '1000'
  await step('Create an account', () =>
    root.call('createAccount', { query: { domain }, body: { login, password, role: 'admin' } }),
  )
  const admin = await step('Log in as that account', () => logInAs(url, `${login}@${domain}`, password))
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
