import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly run?: string
  readonly uses?: string
}

interface Job {
  readonly needs?: string
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

const { jobs, permissions, concurrency } = parse(readFileSync('examples/pipeline/deploy.yml', 'utf8')) as {
  readonly jobs: Readonly<Record<'build' | 'staging' | 'prod' | 'drift', Job>>
  readonly permissions: Readonly<Record<string, string>>
  readonly concurrency: string
}
const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** The options of each command of the CDK that the workflow may use, by its help. */
const cdkOptions: Readonly<Record<string, readonly string[]>> = {
  synth: ['--quiet', '-c', '-o'],
  deploy: ['--all', '--require-approval', '--app'],
  drift: ['--fail', '-c'],
}

it('each command of the example pipeline is a script that exists, or a known command of npm or the CDK', () => {
  expect(commands.length).toBeGreaterThan(8)
  for (const command of commands) {
    const [program, verb = '', name = ''] = command.split(' ')
    if (program === 'npx') {
      const options = command.split(' ').filter((word) => word.startsWith('-'))
      expect(verb).toBe('cdk')
      expect(options.filter((option) => cdkOptions[name]?.includes(option) !== true)).toEqual([])
    } else if (verb === 'run') expect(Object.keys(scripts)).toContain(name)
    else expect(['ci', 'test', 'audit', 'sbom']).toContain(verb)
  }
})

it('prod gets the assembly that was built once, after staging was deployed and smoked', () => {
  const deployments = commands.filter((command) => command.startsWith('npx cdk deploy'))
  const built = commands.flatMap((command) => /synth .*stage=(\w+) -o assemblies\/(\w+)/.exec(command)?.slice(1) ?? [])

  expect([jobs.staging.needs, jobs.prod.needs]).toEqual(['build', 'staging'])
  expect(built).toEqual(['staging', 'staging', 'prod', 'prod'])
  expect(jobs.prod.steps).toEqual(jobs.staging.steps)
  for (const deployment of deployments) expect(deployment).toContain('--app assemblies/')
  expect(existsSync('settings/prod.json')).toBe(true)
})

it('the pipeline gets its credentials by OIDC, and only jobs with an environment have any', () => {
  expect(permissions).toEqual({ contents: 'read' })
  for (const { environment, permissions: own, steps } of Object.values(jobs)) {
    const asks = steps.some(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials@') === true)
    expect(asks).toBe(environment !== undefined)
    expect(own?.['id-token'] === 'write').toBe(asks)
  }
})

it('a release that waits for its approval is not cancelled by the comparison of each morning', () => {
  expect(concurrency).toContain('github.event_name')
})

it('each action is pinned by the commit of a tag', () => {
  const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []))

  expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
})
