/** `npm run preflight -- -c stage=<name>`: asks an account whether a stage can be deployed to it. Changes nothing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openAccount } from './preflight/account.ts'
import { type Finding, checkStage, lineOf } from './preflight/checks.ts'
import { readStageNeeds } from './preflight/stage-needs.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { synthesizeApp } from './synthesis/ensure-assembly.ts'
import { usageAsked } from './toolchain.mjs'

const usage = `Synthesizes a stage and compares what it needs with the account of the credentials: account and region, bootstrap version,
quotas, roles of services, Docker or the image of the connector, addresses of engines. Each line that fails has the command
that mends it. Reads only.

  -c stage=NAME       the stage
  --assembly FOLDER   an assembly that cdk synth wrote before, instead of a stage

Credentials and region are those of the AWS CLI: AWS_PROFILE, AWS_REGION and so on; region of the settings goes before.

Ends with 0 when nothing fails, 1 when something does, 2 when a word is wrong, 3 when the account, or a part of
it, cannot be asked.`

const wrongUse = 2
const cannotAsk = 3

if (usageAsked('npm run preflight', usage)) process.exit(0)
guardTerminals()
process.exitCode = await run().catch((error: unknown) => {
  console.error(`npm run preflight: ${error instanceof Error ? error.message : 'it failed'}`)
  return cannotAsk
})

async function run(): Promise<number> {
  const words = readWords()
  if (words === undefined) {
    console.error(
      'npm run preflight: choose a stage with -c stage=<name>; npm run preflight -- --help shows what it takes',
    )
    return wrongUse
  }
  const made = mkdtempSync(join(tmpdir(), 'callplane-preflight-'))
  try {
    if (words.assembly === undefined) {
      console.log(`bundling the functions and synthesizing the stage ${words.stage} …`)
      await synthesizeApp(join(import.meta.dirname, '..'), made, { stage: words.stage }, new AbortController().signal)
    }
    const needs = readStageNeeds(words.assembly ?? made)
    const states: Finding['state'][] = []
    for await (const finding of checkStage(needs, await openAccount(needs.region))) {
      console.log(lineOf(finding))
      states.push(finding.state)
    }
    const failed = states.filter((state) => state === 'FAIL').length
    const open = states.filter((state) => state === 'open').length
    if (open > 0) console.log(`${open} could not be checked`)
    if (failed > 0) console.log(`${failed} of these must be mended first`)
    if (failed > 0) return 1
    if (open > 0) return cannotAsk
    console.log(`the stage ${needs.stage} can be deployed`)
    return 0
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

function readWords(): { readonly stage: string; readonly assembly: string | undefined } | undefined {
  try {
    const options = { context: { type: 'string', short: 'c' }, assembly: { type: 'string' } } as const
    const { context, assembly } = parseArgs({ options }).values
    if (assembly !== undefined) return { stage: '', assembly }
    const stage = /^stage=(.+)$/.exec(context ?? '')?.[1]
    return stage === undefined ? undefined : { stage, assembly }
  } catch {
    return undefined
  }
}
