import type { Command } from 'commander'
import { findDomain } from '../deploy/apply-plan.ts'
import { checkSteps } from '../deploy/check-steps.ts'
import { readVersion } from '../deploy/versions.ts'
import { writePlan } from '../document/plan-file.ts'
import { makePlan } from '../document/plan.ts'
import { readText } from '../input/values.ts'
import { writeResult } from '../output/result-file.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addApply } from './apply.ts'
import { examples } from './examples.ts'
import { format, nameVariables, numberOf, show, targetOf } from './plan-output.ts'

/** Adds the commands that handle a domain as one document. */
export function addDocument(program: Command, terminal: Terminal): void {
  addExport(program, terminal)
  addPlan(program, terminal)
  addApply(program, terminal)
}

function addExport(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .description('Write the domain as a document, without secrets.')
    .option('-o, --output <file>', 'the file to write (default: standard output)')
    .option('--version <number>', 'a kept version in place of the domain as it is')
    .addHelpText('after', examples('export --output acme.yaml', 'export --version 7'))
    .action(withSession(terminal, exportDomain))
}

function addPlan(program: Command, terminal: Terminal): void {
  program
    .command('plan <file>')
    .description('Show what a document would change, in order, and which recent calls its routes would send elsewhere.')
    .option('-o, --output <file>', 'a file for exactly this plan, for "callplane apply"; "-": standard output')
    .option('--no-calls', 'do not look at recent calls')
    .addHelpText('after', examples('plan acme.yaml', 'plan acme.yaml --output acme.plan'))
    .action(withSession(terminal, showPlan))
}

async function exportDomain(session: Session, options: { readonly output?: string; readonly version?: string }) {
  const target = await targetOf(session)
  const { writeDocument } = await format()
  const text =
    options.version === undefined
      ? writeDocument((await findDomain(target, Date.now())).state)
      : (await readVersion(target, numberOf(options.version))).document
  writeResult(options.output ?? '-', text, session.out)
}

async function showPlan(
  session: Session,
  file: string,
  options: { readonly output?: string; readonly calls: boolean },
) {
  const target = await targetOf(session)
  const found = await findDomain(target, Date.now())
  const { parseDocument } = await format()
  const plan = makePlan(found.state, parseDocument(readText(file), file), Date.now())
  nameVariables(session, plan.steps)
  await checkSteps(target, plan.steps)
  if (options.output === '-') return writeResult('-', writePlan(plan), session.out)
  await show(session, target, plan, options.calls)
  if (options.output === undefined) return
  writeResult(options.output, writePlan(plan), session.out)
  session.out.note(`apply it with: callplane apply ${options.output}`)
}
