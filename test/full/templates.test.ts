/** The templates of the committed stages, judged by the linter of CloudFormation. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readStageFile } from '../../lib/stage-file.ts'
import { synthesize } from '../infra/synthesized-app.ts'
import { pythonTools } from '../support/control-plane/python-tools.ts'

const bin = pythonTools('no template is linted')

const folder = mkdtempSync(join(tmpdir(), 'callplane-lint-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The linter does not know `Fn::GetStackOutput` yet: a parameter takes its place, of which nothing is known either. */
function withParameter(text: string): string {
  const template = JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && 'Fn::GetStackOutput' in value ? { Ref: 'OtherStack' } : value,
  )
  if (!text.includes('Fn::GetStackOutput')) return text
  return JSON.stringify({ ...template, Parameters: { ...template.Parameters, OtherStack: { Type: 'String' } } })
}

/** Engines whose network the deployment joins, so that what it makes for this is linted, too. */
const ofEngines = {
  engineHost: 'engine.example.internal',
  engineNetwork: '10.20.0.0/16',
  engineVpc: {
    id: 'vpc-0a1b2c3d4e5f60718',
    routeTables: ['rtb-0a1b2c3d4e5f60718'],
    addresses: { 'engine.example.internal': '10.20.1.10' },
  },
}

describe.skipIf(bin === undefined)('the templates', () => {
  it.each(['dev', 'prod'])('the templates of the stage %s pass the linter of CloudFormation', (stage) => {
    const context: Readonly<Record<string, string>> = { stage, localSettings: 'off' }
    const settings = readStageFile(process.cwd(), (name) => context[name])
    using made = synthesize({
      settings: { ...settings, ...ofEngines },
    })
    const files = readdirSync(made.folder).filter((file) => file.endsWith('.template.json'))
    for (const file of files) {
      writeFileSync(join(folder, file), withParameter(readFileSync(join(made.folder, file), 'utf8')))
    }

    const linted = spawnSync(
      join(bin ?? '', 'cfn-lint'),
      [
        '--format',
        'parseable',
        '--non-zero-exit-code',
        'error',
        '--ignore-checks',
        'W',
        '--regions',
        'us-east-1',
        '--',
        ...files,
      ],
      { cwd: folder, encoding: 'utf8' },
    )

    expect(files.length).toBeGreaterThanOrEqual(5)
    expect({ status: linted.status, findings: linted.stdout, problems: linted.stderr }).toEqual({
      status: 0,
      findings: '',
      problems: '',
    })
  })
})
