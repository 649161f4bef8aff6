import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { hookInput } from '../../../contracts/routes/hook-shapes.ts'
import { channelEvents, serviceEventKinds } from '../../../core/events/catalogue.ts'
import { hookContent } from '../../../core/hooks/definition/hook-content.ts'
import { hookProblems } from '../../../core/hooks/definition/hook-rules.ts'
import { plannedWait } from '../../../core/hooks/delivery/retry-schedule.ts'
import { refusedPorts } from '../../../core/requests/target-url.ts'
import { documentText, documentedCode } from '../../support/records/document.ts'
import { aHookInput } from '../../support/records/hook-input.ts'

/** The document as one line of text each paragraph, so that no fact is cut by the end of a line. */
const text = documentText('hooks.md').replaceAll(/\n(?!\n)/g, ' ')

describe('docs/hooks.md', () => {
  it.each([...channelEvents, ...serviceEventKinds])('names the event %s', (event) => {
    expect(text).toContain(`\`${event}\``)
  })

  it('the hook in docs/hooks.md is accepted', () => {
    const [, body = ''] = /-d '([\s\S]*?)'\n/.exec(documentedCode('hooks.md', '## Make one', 'sh')) ?? []
    const input = hookInput.parse(JSON.parse(body))

    expect(hookProblems(input, { guard: addressGuard(''), compile: linearPattern })).toEqual([])
  })

  it.each(Object.keys(hookInput.shape).filter((field) => field !== 'description'))(
    'docs/hooks.md describes the field %s',
    (field) => {
      expect(documentText('hooks.md')).toMatch(new RegExp(`^\\|.*\`${field}\`.*\\|`, 'm'))
    },
  )

  it('docs/hooks.md states the real waits between attempts', () => {
    const waits = Array.from({ length: 10 }, (_, made) => plannedWait({ retries: 10 }, made + 1) ?? 0)
    const written = waits.map((ms) => {
      if (ms < 60_000) return `${ms / 1000} s`
      return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
    })

    expect(text).toContain(`${written.slice(0, -1).join(', ')} and ${written.at(-1)} after the one before`)
    expect(text).toContain(`default ${hookContent(aHookInput()).retries};`)
  })

  it('docs/hooks.md names the refused ports', () => {
    expect(text).toContain(`Ports ${[...refusedPorts].join(', ').replace(/, (\d+)$/, ' and $1')} are refused`)
  })
})
