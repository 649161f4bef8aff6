import { describe, expect, it } from 'vitest'
import { listEvents } from '../../../contracts/routes/events.ts'
import { baseEvents } from '../../../core/events/catalogue.ts'
import { eventLogLimit } from '../../../core/events/event-log-rules.ts'
import { documentText, documentedCode } from '../../support/records/document.ts'

const heading = '## Prove that nothing is missing'
const [, section = ''] = documentText('hooks.md').split(`\n${heading}\n`)
const [text = ''] = section.split('\n## ', 1)

describe('docs/hooks.md on the list of events', () => {
  it('docs/hooks.md shows a real answer of the list of events', () => {
    const shown: unknown = JSON.parse(documentedCode('hooks.md', heading, 'json'))

    expect(listEvents.response.parse(shown)).toEqual(shown)
  })

  it.each([...baseEvents].filter((name) => !name.startsWith('CUSTOM->')))(
    'docs/hooks.md says that %s is in the list of events',
    (name) => {
      expect(text).toContain(`\`${name}\``)
    },
  )

  it.each([
    'engine_link_lost',
    'engine_restarted',
    'connector_ended',
    'events_dropped',
    'events_unreadable',
    'no_hook',
    'several',
  ] as const)('docs/hooks.md describes the reason %s', (reason) => {
    const gap = { kind: 'time' as const, reason, from: 1, to: 2 }
    const data = { events: [], gaps: [gap], head: 0, next: 0, more: false, isCollected: true }
    expect(listEvents.response.parse({ status: 'OK', data })).toMatchObject({ data })

    expect(text).toMatch(new RegExp(`^\\| \`${reason}\` \\| .+ \\|$`, 'm'))
  })

  it('docs/hooks.md states how many events are kept', () => {
    expect(text).toContain(`The newest ${eventLogLimit / 1000} 000 of the last 24 hours are kept`)
  })
})
