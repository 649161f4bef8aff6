import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { npmCommand } from '../processes/npm-command.mjs'
import type { Finding } from './finding.ts'

/** The report of `npm audit --json`, as far as it is read. */
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
      nodes: z.array(z.string()),
      fixAvailable: z.union([z.boolean(), z.object({ name: z.string(), version: z.string() })]),
    }),
  ),
})

const lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.optional(z.boolean()) })) })

/**
 * Asks the registry of npm about every package of package-lock.json in a folder, and returns a finding for each that has an
 * advisory itself; packages that only depend on one are not repeated. Throws when the registry gives no answer within a minute.
 */
export function dependencyFindings(folder: string, env: NodeJS.ProcessEnv = process.env): Finding[] {
  const [program, ...words] = npmCommand()
  const audit = [...words, 'audit', '--json', '--package-lock-only']
  const { stdout } = spawnSync(program, audit, {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  })
  const read = report.safeParse(parsed(stdout))
  if (!read.success) throw new Error('npm audit gave no report; run it to see why')
  const { packages } = lock.parse(parsed(readFileSync(join(folder, 'package-lock.json'), 'utf8')))
  return Object.entries(read.data.vulnerabilities).flatMap(([name, { severity, via, nodes, fixAvailable }]) => {
    const own = via.filter((one) => typeof one === 'object')
    const isDeployed = nodes.some((node) => packages[node]?.dev !== true)
    return own.map(({ title, url }) => ({
      subject: `${name} (${isDeployed ? 'deployed' : 'a tool, not deployed'})`,
      problem: `${severity}: ${title}, ${url}`,
      action: `${fixOf(name, fixAvailable)}${isDeployed ? '; then npm test, and deploy all stacks' : '; then npm test'}`,
    }))
  })
}

function fixOf(name: string, fix: z.infer<typeof report>['vulnerabilities'][string]['fixAvailable']): string {
  if (fix === false) return `there is no fixed version of ${name}: read whether it concerns you`
  if (fix === true) return `npm update ${name}`
  return `npm install --save-exact ${fix.name}@${fix.version}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
