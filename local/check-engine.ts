/** `npm run engine:check`: compares a running engine with what the platform needs, and names the lines to change. */
import { readEngineAddresses } from '../connector/settings.ts'
import type { EngineAddress } from '../connector/runtime/engine.ts'
import { openEslSession } from '@callplane/esl'
import { domainName, login } from '../contracts/fields.ts'
import { type CheckOptions, type Finding, checkEngine } from './engine-check/check-engine.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { takeNoOptions } from './toolchain.mjs'

const usage = `Connects to the engines of ENGINE_URL and reports each thing that is missing or wrong, with the line to change. Reads only.

  ENGINE_URL        event sockets, such as esl://:<password>@127.0.0.1:8021; several are separated by commas
  ENGINE_PASSWORD   the password of addresses that have none
  ENGINE_ACCOUNT    an account such as 1000@demo.example.com, which the engine must find at the platform

-- --json prints an array with an object for each engine: engine, findings (file, problem, line), or error when it cannot be checked.

Ends with 0 when nothing is wrong, 1 when something is, 2 when a variable is wrong, 3 when an engine cannot be reached.`

const connectMs = 10_000

const wrongUse = 2
const unreachable = 3

class EngineUnreachable extends Error {}

async function findingsOf(
  { host, port, password }: EngineAddress,
  account: CheckOptions['account'],
): Promise<Finding[]> {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new EngineUnreachable('no answer')), connectMs)
  const session = openEslSession({
    host,
    port,
    password,
    name: 'check',
    subscribe: [],
    onEvent: () => {},
    onState: (state) => {
      if (state.kind === 'ready') resolve()
      if (state.kind === 'down') reject(new EngineUnreachable(state.reason))
    },
  })
  try {
    await ready
    return await checkEngine((command) => session.api(command), { password, account })
  } finally {
    clearTimeout(timer)
    await session.close()
  }
}

function readAccount(text: string | undefined): CheckOptions['account'] {
  if (text === undefined || text === '') return undefined
  const [name = '', domain = ''] = text.split('@')
  const isAccount =
    login.safeParse(name).success && domainName.safeParse(domain).success && text === `${name}@${domain}`
  if (!isAccount) throw new Error('ENGINE_ACCOUNT must be <login>@<domain>')
  return { login: name, domain }
}

interface CheckedEngine {
  readonly engine: string
  readonly findings?: readonly Finding[]
  readonly error?: string
}

async function checked(engine: EngineAddress, account: CheckOptions['account']): Promise<CheckedEngine> {
  const name = `${engine.host}:${engine.port}`
  try {
    return { engine: name, findings: await findingsOf(engine, account) }
  } catch (problem) {
    return { engine: name, error: `cannot be checked (${problem instanceof Error ? problem.message : 'unknown'})` }
  }
}

function print({ engine, findings = [], error }: CheckedEngine): void {
  if (error !== undefined) return
  console.log(
    findings.length === 0 ? `${engine}: nothing is missing or wrong` : `${engine}: ${findings.length} to change`,
  )
  for (const { file, problem, line } of findings) console.log(`\n  ${problem}\n    in ${file}:\n    ${line}`)
}

/** What callers notice of several engines. It is nothing to change. */
const ofEach = (engines: number) => `
${engines} engines: conferences, parking slots, queues and mailboxes are each engine's own. Keep a domain that uses them at one engine
(docs/engine.md, "Several engines").`

async function main(isJson: boolean): Promise<number> {
  let engines: EngineAddress[]
  let account: CheckOptions['account']
  try {
    engines = readEngineAddresses(process.env)
    account = readAccount(process.env['ENGINE_ACCOUNT'])
    if (engines.length === 0) throw new Error('ENGINE_URL names no engine')
  } catch (problem) {
    console.error(problem instanceof Error ? problem.message : 'a variable is wrong')
    return wrongUse
  }
  const results: CheckedEngine[] = []
  for (const engine of engines) {
    const result = await checked(engine, account)
    results.push(result)
    if (!isJson) print(result)
    if (result.error !== undefined) console.error(`${result.engine}: ${result.error}`)
  }
  if (isJson) console.log(JSON.stringify(results, null, 2))
  else if (engines.length > 1) console.log(ofEach(engines.length))
  if (results.some(({ error }) => error !== undefined)) return unreachable
  return results.some(({ findings = [] }) => findings.length > 0) ? 1 : 0
}

guardTerminals()
const isJson = process.argv[2] === '--json' && process.argv.length === 3
if (!isJson) takeNoOptions('npm run engine:check', usage)
process.exitCode = await main(isJson)
