import { appendFileSync, chmodSync } from 'node:fs'
import type { Command } from 'commander'
import { terminalText } from '../../client/index.ts'
import { type ApplyDeps, applyPlan, findDomain } from '../deploy/apply-plan.ts'
import { checkSteps, requireSecrets, variablesOf } from '../deploy/check-steps.ts'
import type { FoundDomain, Target } from '../deploy/read-domain.ts'
import { keepVersion, readVersion } from '../deploy/versions.ts'
import { diff } from '../document/diff.ts'
import { subject, summary } from '../document/explain.ts'
import { readPlan } from '../document/plan-file.ts'
import { type Plan, checkUnchanged, makePlan } from '../document/plan.ts'
import { CliError } from '../failure/exit.ts'
import { type Question, requireAnswer } from '../input/confirm.ts'
import { readText } from '../input/values.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { format, nameVariables, numberOf, show, targetOf } from './plan-output.ts'
import { allRows } from './rows.ts'

interface ApplyOptions {
  readonly yes?: true
  readonly secrets?: string
  /** `false` with `--no-version`. */
  readonly version: boolean
  /** `false` with `--no-calls`. */
  readonly calls: boolean
}

/** Adds the commands that change a domain to what a document, a plan or a version says. */
export function addApply(program: Command, terminal: Terminal): void {
  applying(program.command('apply <file>'))
    .description('Make the domain what a document or a saved plan says; an interrupted run is finished by the next.')
    .addHelpText(
      'after',
      examples('apply acme.yaml', 'apply acme.plan --yes', 'apply acme.yaml --secrets new-secrets.txt'),
    )
    .action(withSession(terminal, applyFile))
  applying(program.command('rollback [version]'))
    .description('Make the domain what it was in a kept version; without one, list the versions.')
    .addHelpText('after', examples('rollback', 'rollback 7'))
    .action(withSession(terminal, rollBack))
}

function applying(command: Command): Command {
  return command
    .option('--yes', 'do not ask')
    .option('--secrets <file>', 'generate missing passwords, and append all new secrets to this file')
    .option('--no-version', 'keep no version of the domain')
    .option('--no-calls', 'do not look at recent calls')
}

async function applyFile(session: Session, file: string, options: ApplyOptions) {
  const target = await targetOf(session)
  const text = readText(file)
  const found = await findDomain(target, Date.now())
  const { parseDocument } = await format()
  const plan = readPlan(text, file) ?? makePlan(found.state, parseDocument(text, file), Date.now())
  if (plan.base.domain !== target.domain) {
    throw new CliError(`${file} is a plan of ${plan.base.domain}, not of ${target.domain}`)
  }
  await carryOut(session, { target, found, plan, comment: 'applied' }, options)
}

async function rollBack(session: Session, version: string | undefined, options: ApplyOptions) {
  const target = await targetOf(session)
  if (version === undefined) return listVersions(session, target)
  const { parseDocument } = await format()
  const { document, createdBy, createdOn } = await readVersion(target, numberOf(version))
  const found = await findDomain(target, Date.now())
  const plan = makePlan(found.state, parseDocument(document, `version ${version}`), Date.now())
  refuseVariables(version, plan)
  session.out.note(`version ${version} was stored by ${createdBy} at ${session.out.time(createdOn)}`)
  await carryOut(session, { target, found, plan, comment: `rolled back to version ${version}` }, options)
}

/** A version is the tenant's text, so applying it must not read the environment of the person who applies it. */
function refuseVariables(version: string, { steps }: Plan): void {
  const names = variablesOf(steps)
  if (names.length === 0) return
  throw new CliError(
    `version ${version} would read ${names.join(', ')} from your environment, which a version may not; export it, check the` +
      ` file and apply that: callplane export --version ${version} --output <file>`,
  )
}

interface Work {
  readonly target: Target
  readonly found: FoundDomain
  readonly plan: Plan
  readonly comment: string
}

async function carryOut(session: Session, { target, found, plan, comment }: Work, options: ApplyOptions) {
  const { out, terminal } = session
  checkUnchanged(plan, found.state)
  const left = diff(found.state, plan.target)
  const deps = depsOf(session, target, nameVariables(session, left), options.secrets)
  requireSecrets(left, deps.secrets)
  await checkSteps(target, left)
  if (plan.steps.length === 0) return out.done({ digest: plan.digest, steps: 0 }, summary([]))
  if (!out.isJson) await show(session, target, plan, options.calls)
  if (options.yes !== true) await requireAnswer(terminal, agreement(target.domain))
  if (options.version) await keepVersion(target, (await format()).writeDocument(found.state), 'before a change')
  const steps = await applyPlan(plan, found, deps)
  out.clear()
  const version = options.version ? await keepVersion(target, await exported(target), comment) : undefined
  const kept = version === undefined ? '' : `; the domain is now version ${version}`
  out.done({ digest: plan.digest, steps, ...(version === undefined ? {} : { version }) }, `${steps} steps done${kept}`)
}

async function exported(target: Target): Promise<string> {
  const { writeDocument } = await format()
  return writeDocument((await findDomain(target, Date.now())).state)
}

/** `names`: the variables that were named, and the only ones that can be read. */
function depsOf(
  { out, terminal }: Session,
  target: Target,
  names: readonly string[],
  file: string | undefined,
): ApplyDeps {
  const keep =
    file === undefined
      ? undefined
      : (what: string, secret: string) => keepSecret(file, `${terminalText(what)}: ${secret}\n`)
  const env = Object.fromEntries(names.map((name) => [name, terminal.env[name]]))
  return {
    ...target,
    secrets: { env, ...(keep === undefined ? {} : { keep }) },
    now: Date.now,
    report: (step, number, count) => out.progress(`${number} of ${count}: ${subject(step)}`),
  }
}

/** Appends to a file that only its user may read, and waits until it is on the disk. */
function keepSecret(file: string, line: string): void {
  appendFileSync(file, line, { mode: 0o600, flush: true })
  chmodSync(file, 0o600)
}

function agreement(domain: string): Question {
  const wayOut = `confirm the change of ${domain} with --yes`
  return { text: `Type yes to change ${domain}: `, expected: 'yes', wayOut }
}

async function listVersions({ out }: Session, { client, domain, signal }: Target): Promise<void> {
  const pages = client.pages('listDomainVersions', { params: { domain_name: domain }, signal })
  const rows = await allRows(pages, ({ info }) => info)
  out.list(
    rows,
    {
      version: (row) => String(row.version ?? ''),
      time: { of: (row) => row.createdOn, look: 'time' },
      by: { of: (row) => row.createdBy, rank: 1, least: 12 },
      comment: { of: (row) => row.comment, least: 16 },
    },
    'no version is kept yet; "callplane apply" keeps them',
  )
}
