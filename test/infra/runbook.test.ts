import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Placed, text } from './assembly.ts'
import { usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

const alarms = assembly.ofType('AWS::CloudWatch::Alarm')
const written = articlesOf(readFileSync('docs/runbook.md', 'utf8'))
const articles = new Map(written)

/** The articles of the runbook's section on alarms: each heading of the third rank and what stands under it. */
function articlesOf(runbook: string): [string, string][] {
  const [, section = ''] = runbook.split(/^## Alarms$/m)
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

  it('the alarm notifies the person on call when it starts and when it ends', () => {
    const topic = assembly.one('AWS::SNS::Topic', 'OnCall')
    const alarmed = (property: string) => assembly.resolve(alarm.stack, alarm.Properties[property])

    expect(alarmed('AlarmActions')).toBe(`${topic.stack.name}/${topic.id}`)
    expect(alarmed('OKActions')).toBe(`${topic.stack.name}/${topic.id}`)
  })
})

it('the runbook has one article for each alarm, and no other', () => {
  expect(written.map(([title]) => title).sort()).toEqual(alarms.map(titleOf).sort())
})

it('alarms may publish to the topic, from this account only', () => {
  const policy = assembly.one('AWS::SNS::TopicPolicy', 'OnCall')
  const { Statement } = policy.Properties['PolicyDocument'] as unknown as { Statement: Record<string, unknown>[] }

  expect(Statement).toContainEqual(
    expect.objectContaining({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    }),
  )
})
