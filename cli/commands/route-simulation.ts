import type { Command } from 'commander'
import type { Answer } from '../../client/index.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

interface SimulationOptions {
  readonly from?: string
  readonly at?: string
  readonly gateway?: string
  readonly press?: string
}

/** Adds the simulation of a call through the routes. */
export function addSimulation(routes: Command, terminal: Terminal): void {
  routes
    .command('simulate <number>')
    .description('Show which way a call to a number would take, and why. Nothing is dialled.')
    .option('--from <caller>', 'the account or number that calls')
    .option('--gateway <name>', 'the gateway that the call comes from: it takes public routes')
    .option('--at <time>', 'the time of the call, ISO 8601 (default: now)')
    .option('--press <keys>', 'the keys that the caller presses at each menu, separated by commas')
    .addHelpText(
      'after',
      examples(
        'routes simulate 4930123456 --from 1001',
        'routes simulate 200 --at 2026-12-24T20:00Z',
        'routes simulate 4930123456 --gateway trunk',
        'routes simulate 100 --press 1,2',
      ),
    )
    .action(
      withSession(
        terminal,
        async ({ client, out, query }, number: string, { from, at, gateway, press }: SimulationOptions) => {
          const body = {
            number,
            ...(from === undefined ? {} : { caller: from }),
            ...(at === undefined ? {} : { time: at }),
            ...(press === undefined ? {} : { digits: press.split(',') }),
            ...(gateway === undefined ? {} : { direction: 'inbound' as const, gateway }),
          }
          const { data } = await client.call('simulateDefaultRoutes', { query, body })
          if (out.isJson) return out.json(data)
          const { matched, considered, steps, end } = data
          out.line(`${number} goes to: ${[matched.kind, matched.name, matched._id].filter(Boolean).join(' ')}`, 'bold')
          for (const { name, _id, reason } of considered) {
            out.line(`  ${_id === matched._id ? 'takes' : 'passes over'} ${name} (${_id}): ${reason}`)
          }
          for (const step of steps) out.line(`  ${stepText(step)}`)
          out.line(`ends with ${'cause' in end ? end.cause : end.application}`)
        },
      ),
    )
}

type Step = Answer<'simulateDefaultRoutes'>['data']['steps'][number]

function stepText({ taken, path, kind, application, data, reason }: Step): string {
  const place = [taken ? 'runs' : 'skips', path, kind === path ? '' : kind].filter(Boolean).join(' ')
  const order = [application, data].filter(Boolean).join(' ')
  return `${place}${order === '' ? '' : `: ${order}`}${reason === '' ? '' : ` (${reason})`}`
}
