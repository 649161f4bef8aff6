import { variablesOf } from '../deploy/check-steps.ts'
import { type RouteReport, reportDays, reportRoutes } from '../deploy/route-report.ts'
import type { Target } from '../deploy/read-domain.ts'
import { explain, subject, summary } from '../document/explain.ts'
import type { Plan } from '../document/plan.ts'
import { maskedRecord } from '../document/secrets.ts'
import { type RecordKind, type Records, changeOf } from '../document/steps.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import { type Session, domainOf } from '../session/session.ts'

/** Prints a plan and, where it changes routes, which recent calls would go elsewhere. */
export async function show({ out }: Session, target: Target, plan: Plan, calls: boolean): Promise<void> {
  const changes = (kind: Plan['steps'][number]['kind']) => plan.steps.some((step) => step.kind === kind)
  const changed = {
    default: changes('route') ? plan.target.routes : undefined,
    public: changes('publicRoute') ? plan.target.publicRoutes : undefined,
  }
  const hasChange = changed.default !== undefined || changed.public !== undefined
  const report = hasChange && calls ? await reportRoutes(target, changed) : undefined
  if (out.isJson) {
    const steps = plan.steps.map((step) => ({
      change: changeOf(step),
      kind: step.kind,
      record: subject(step),
      before: shownOf(step.kind, step.before),
      after: shownOf(step.kind, step.after),
    }))
    const reads = variablesOf(plan.steps)
    return out.json({ digest: plan.digest, steps, reads, ...(report === undefined ? {} : { calls: report }) })
  }
  const tones = { '+': 'green', '~': 'yellow', '-': 'red' } as const
  for (const line of explain(plan.steps)) out.line(line, tones[line.trimStart().slice(0, 1) as keyof typeof tones])
  out.line(summary(plan.steps), 'bold')
  if (report !== undefined) showReport(out, report)
}

/** Names each variable of the environment that steps would read, before it is read. Returns the names. */
export function nameVariables({ out }: Pick<Session, 'out'>, steps: Plan['steps']): readonly string[] {
  const names = variablesOf(steps)
  if (names.length > 0) out.warn(`apply reads from your environment: ${names.join(', ')}`)
  return names
}

function showReport(out: Session['out'], report: RouteReport): void {
  const { moved, calls, different, simulated, unplaced, isCut } = report
  const count = moved.reduce((sum, each) => sum + each.count, 0)
  out.line(`Of ${calls} calls of the last ${reportDays} days, ${count} would now go elsewhere.`)
  if (simulated < different) out.line(`Only the newest ${simulated} of ${different} different calls were simulated.`)
  if (unplaced > 0)
    out.line(`${unplaced} calls were left out: their gateway is not known, or their number cannot be simulated.`)
  if (isCut) out.line(`Only the newest ${calls} calls were read.`)
  if (moved.length === 0) return
  out.list(
    moved,
    {
      caller: { of: (each) => each.caller, least: 8 },
      number: { of: (each) => each.number, least: 8 },
      calls: (each) => each.count,
      'call id': { of: (each) => each.uuid, look: 'id', rank: 2 },
      before: { of: (each) => each.from, least: 16, rank: 1 },
      after: { of: (each) => each.to, least: 16, rank: 1 },
    },
    'none',
  )
}

/** Loads what reads and writes documents; loading it takes longer than most commands. */
export async function format() {
  const [{ parseDocument }, { writeDocument }] = await Promise.all([
    import('../document/parse-document.ts'),
    import('../document/write-document.ts'),
  ])
  return { parseDocument, writeDocument }
}

/** Returns the domain to work in and the way to it. */
export async function targetOf(session: Session): Promise<Target> {
  const { client, signal } = session
  return { client, domain: (await domainOf(session)).toLowerCase(), signal }
}

/** Returns the number of a version. */
export function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CliError(`a version is a number such as 7, got ${JSON.stringify(text)}`, exitCodes.usage)
}

/** Returns a record of a plan without its secrets. */
function shownOf<K extends RecordKind>(kind: K, record: Records[K] | null): Records[K] | null {
  return record === null ? null : maskedRecord(kind, record)
}
