import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Placed, text } from './assembly.ts'
import { appWith } from './synthesized-app.ts'

const { assembly } = appWith({ canary: 'on' })

const alarms = assembly.ofType('AWS::CloudWatch::Alarm')
const runbook = readFileSync('docs/runbook.md', 'utf8')
const written = articlesOf(runbook)
const articles = new Map(written)

/** The articles of the runbook's section on alarms: each heading of the third rank and what stands under it. */
function articlesOf(page: string): [string, string][] {
  const [, section = ''] = page.split(/^## Alarms$/m)
  const [inSection = ''] = section.split(/^## /m)
  const [, ...parts] = inSection.split(/^### /m)
  return parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n'))])
}

const titleOf = (alarm: Placed) => text(alarm.Properties['AlarmName']).replace(/^Callplane test: /, '')

describe.each(alarms.map((alarm) => [titleOf(alarm), alarm] as const))('the alarm "%s"', (title, alarm) => {
  it('the alarm has an article with description, investigation and resolution', () => {
    const article = articles.get(title) ?? ''

    expect(article).toMatch(/\*\*Description\.\*\* \S/)
    expect(article).toMatch(/\*\*Investigation\.\*\*\s+\S/)
    expect(article).toMatch(/\*\*Resolution\.\*\*\s+\S/)
  })

  it("the alarm's text says who is affected and which article to read", () => {
    const description = text(alarm.Properties['AlarmDescription'])

    expect(description).toContain(`docs/runbook.md, "${title}"`)
    expect(description.indexOf('What to do')).toBeGreaterThan(40)
  })

  it('the alarm notifies one topic when it starts and when it ends', () => {
    const topics = assembly.ofType('AWS::SNS::Topic').map(({ stack, id }) => `${stack.name}/${id}`)
    const alarmed = (property: string) => assembly.resolve(alarm.stack, alarm.Properties[property])

    expect(topics).toContain(alarmed('AlarmActions'))
    expect(alarmed('OKActions')).toBe(alarmed('AlarmActions'))
  })
})

it('the runbook has one article for each alarm, and no other', () => {
  expect(written.map(([title]) => title).sort()).toEqual(alarms.map(titleOf).sort())
})

it('alarms may publish to both topics, from this account only', () => {
  const policies = assembly.ofType('AWS::SNS::TopicPolicy')

  expect(policies).toHaveLength(2)
  for (const { Properties } of policies) {
    const { Statement } = Properties['PolicyDocument'] as unknown as { Statement: Record<string, unknown>[] }
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    )
  }
})

/** The operations that articles begin with, each with the options that its help names. */
const operations: Readonly<Record<string, readonly string[]>> = {
  'logs tail': ['--since', '--filter-pattern'],
  'lambda get-account-settings': ['--query'],
  'cloudwatch get-metric-data': ['--start-time', '--end-time', '--metric-data-queries'],
  'sqs receive-message': ['--visibility-timeout', '--message-system-attribute-names', '--queue-url'],
  'ecs describe-services': ['--cluster', '--services', '--query'],
  'opensearch describe-domain': ['--domain-name', '--query'],
  'opensearch describe-domain-health': ['--domain-name'],
  'cloudformation describe-stacks': ['--stack-name', '--query', '--output'],
}

const commandOf = (article: string) => /^\n*```sh\n(.*)\n```\n/.exec(article)?.[1] ?? ''

/** The part of a command in `$(…)`, which reads an output of a stack. */
const inner = /"\$\((aws [^)]*)\)"/g

describe.each(written)('the article "%s"', (_title, article) => {
  const command = commandOf(article)
  const calls = [command.replaceAll(inner, '<output>'), ...[...command.matchAll(inner)].map(([, call = '']) => call)]

  it('the article begins with one command, each of whose options its operation has', () => {
    for (const call of calls) {
      const [program, service, operation] = call.split(' ')
      const known = operations[`${service} ${operation}`]
      const options = call.replaceAll(/'[^']*'/g, '').match(/(?<= )--[a-z-]+/g) ?? []

      expect(program).toBe('aws')
      expect(known, call).toBeDefined()
      expect(options.filter((option) => known?.includes(option) !== true)).toEqual([])
    }
  })

  it('the log that the command reads is in the templates, and what it looks for is logged', () => {
    const name = /logs tail (\S+)/.exec(command)?.[1]
    if (name === undefined) return
    const logs = assembly.ofType('AWS::Logs::LogGroup').map(({ Properties }) => Properties['LogGroupName'])

    expect(logs).toContain(name.replace('/prod/', '/test/'))
    const phrases = [...command.matchAll(/"([a-z ]+)"/gi)].map(([, phrase = '']) => phrase)
    expect(phrases.filter((phrase) => !sources.includes(phrase))).toEqual([])
  })

  it('the outputs that the command reads are those of the stack that it names', () => {
    for (const [, call = ''] of command.matchAll(inner)) {
      const [, stackName, key = ''] = /--stack-name (\w+)-prod .*OutputKey=='(\w+)'/.exec(call) ?? []
      const stack = assembly.stacks.find(({ name }) => name === stackName)

      expect(Object.keys(stack?.template.Outputs ?? {})).toContain(key)
    }
  })

  it('the queries of the command are JSON', () => {
    const queries = /--metric-data-queries '(.*)'/.exec(command)?.[1]
    if (queries !== undefined) expect(JSON.parse(queries)).toMatchObject([{ Expression: expect.any(String) }])
  })
})

/** The text of all programs that log. */
const sources = globSync('{connector,functions,core,adapters,contracts}/**/*.ts')
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

it('the fields by which commands search the access log are fields of its lines', () => {
  const { Properties } = assembly.one('AWS::ApiGatewayV2::Stage', '')
  const fields = JSON.stringify(Properties['AccessLogSettings'])
  const searched = [...runbook.matchAll(/\{ \$\.(\w+) /g)].map(([, field = '']) => field)

  expect(searched.length).toBeGreaterThan(2)
  for (const field of searched) expect(fields).toContain(`\\"${field}\\"`)
})
