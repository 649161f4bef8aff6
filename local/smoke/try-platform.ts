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
  /** Ends the trial, but not the removal of what it made; after 90 s unless given. */
  readonly signal?: AbortSignal
}

type LimitedTrial = Trial & Required<Pick<Trial, 'signal'>>

/** The customer of the domains of trials. */
const customer = 'smoke'

/** Leaves the function that tries a platform in the cloud the time to remove the domain. */
const trialMs = 90_000

/** An older domain is of a trial that was killed: none takes this long. */
const leftoverMs = 600_000

/**
 * Tries a platform as a user would, step by step. Throws an error that names the first step that failed, after it has
 * removed the domain with all that was made in it. Domains that earlier trials could not remove are removed first.
 */
export async function tryPlatform({ signal = AbortSignal.timeout(trialMs), ...given }: Trial): Promise<void> {
  const trial = { ...given, signal }
  const step = stepsOf(trial)
  await step('Ask for the health', () => askForHealth(trial))
  const root = await step('Log in as root', () => logInAs(trial, 'root', trial.rootPassword))
  const begun = Date.now()
  await step('Remove what earlier trials left', () => removeLeftovers(trial, root, begun - leftoverMs))
  const domain = `smoke-${begun}-${randomBytes(6).toString('hex')}.example.com`
  const removeDomain = () =>
    step('Remove the domain', () => root.call('deleteDomain', { params: { domain_name: domain } }))
  try {
    await step(`Create the domain ${domain}`, () =>
      root.call('createDomain', { body: { domain_name: domain, customer_id: customer }, signal }),
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

async function askForHealth({ url, needsEngine, signal }: LimitedTrial): Promise<void> {
  try {
    await new Client({ url, retries }).call('readHealth', { signal })
  } catch (error) {
    const isWithoutEngine = error instanceof CallplaneError && error.status === 503
    if (needsEngine || !isWithoutEngine) throw error
  }
}

async function logInAs({ url, signal }: LimitedTrial, username: string, password: string): Promise<Client> {
  const token = await new Client({ url, retries }).call('logIn', { body: { username, password }, signal })
  return new Client({ url, retries, token })
}

/** A domain that cannot be removed does not end the trial: the next one tries again. */
async function removeLeftovers({ say, signal }: LimitedTrial, root: Client, before: number): Promise<void> {
  const { data } = await root.call('listDomains', { query: { customerId: customer, limit: 100 }, signal })
  for (const domain_name of Object.keys(data)) {
    if (!(Number(/^smoke-(\d+)-[0-9a-f]{12}\.example\.com$/.exec(domain_name)?.[1]) < before)) continue
    await root.call('deleteDomain', { params: { domain_name }, signal }).then(
      () => say(`    removed ${domain_name}`),
      (problem: unknown) => say(`    ${domain_name}: ${messageOf(problem)}`),
    )
  }
}

async function useDomain(
  trial: LimitedTrial,
  { root, domain, step }: { readonly root: Client; readonly domain: string; readonly step: Step },
): Promise<void> {
  const { receiver, signal } = trial
  const password = randomBytes(18).toString('base64url')
  const login = '1000'
  await step('Create an account', () =>
    root.call('createAccount', { query: { domain }, body: { login, password, role: 'admin' }, signal }),
  )
  const admin = await step('Log in as that account', () => logInAs(trial, `${login}@${domain}`, password))
  const { data } = await step('Create a hook', () =>
    admin.call('createHooks', {
      body: { event: 'CHANNEL_ANSWER', action: { type: 'web', method: 'GET', url: receiver } },
      signal,
    }),
  )
  const hook_id = data.insertedIds[0] ?? ''
  await step(`Send a test delivery to ${new URL(receiver).host}`, async () => {
    const { data: sent } = await admin.call('testHook', { params: { hook_id }, body: {}, signal })
    if (sent.state !== 'delivered') throw new Error(`the delivery ${sent.state}: ${sent.reason ?? 'no reason given'}`)
  })
  await step('Search call detail records', () => admin.call('searchCdrs', { body: { query: '*' }, signal }))
  await step('Read the status', () => admin.call('readStatus', { signal }))
  await step('Remove the hook', () => admin.call('deleteHook', { params: { hook_id }, signal }))
  await step('Remove the account', () =>
    root.call('deleteAccount', { params: { account_id: login }, query: { domain }, signal }),
  )
}
