import type { Command } from 'commander'
import type { Answer, Input } from '../../client/index.ts'
import { confirm } from '../input/confirm.ts'
import { readObject } from '../input/values.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { addSimulation } from './route-simulation.ts'
import { allRows } from './rows.ts'

type RouteRow = Answer<'listDefaultRoutes'>[number]
type RouteBody = Input<'createDefaultRoute'>['body']

const id = '0123456789abcdef01234567'

/** Adds the commands about default routes. */
export function addRoutes(program: Command, terminal: Terminal): void {
  const routes = program
    .command('routes')
    .description('Default routes: patterns of numbers, and what happens to their calls.')
  addReading(routes, terminal)
  routes
    .command('create <file>')
    .description(
      'Make a route from a JSON file ("-" is standard input), with the fields that "routes get --json" shows.',
    )
    .addHelpText('after', examples('routes create route.json', `routes create - < route.json`))
    .action(
      withSession(terminal, async ({ client, out, query }, file: string) => {
        // The platform checks the fields and names the wrong ones.
        const answer = await client.call('createDefaultRoute', { query, body: readObject(file) as RouteBody })
        out.done(answer, `created ${answer._id}`)
      }),
    )
  routes
    .command('update <route> <file>')
    .description('Replace a route by that of a JSON file ("-" is standard input).')
    .addHelpText('after', examples(`routes update ${id} route.json`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string, file: string) => {
        const body = readObject(file) as RouteBody
        out.done(await client.call('replaceDefaultRoute', { params: { route_id }, query, body }), `updated ${route_id}`)
      }),
    )
  routes
    .command('delete <route>')
    .description('Delete a route.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples(`routes delete ${id} --yes`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the route ${route_id}`, route_id, yes)
        out.done(await client.call('deleteDefaultRoute', { params: { route_id }, query }), `deleted ${route_id}`)
      }),
    )
  addMove(routes, terminal, 'up')
  addMove(routes, terminal, 'down')
  addSimulation(routes, terminal)
}

function addReading(routes: Command, terminal: Terminal): void {
  routes
    .command('list')
    .description('List the routes of the domain in their order.')
    .addHelpText('after', examples('routes list'))
    .action(
      withSession(terminal, async ({ client, out, query }) => {
        const rows = await allRows(client.pages('listDefaultRoutes', { query }), (page) => page)
        const columns = {
          route: (row: RouteRow) => row._id,
          order: (row: RouteRow) => row.order,
          pattern: (row: RouteRow) => row.destination_number,
          name: (row: RouteRow) => row.name,
          enabled: (row: RouteRow) => (row.disabled === true ? 'no' : 'yes'),
          steps: (row: RouteRow) => row.callflow?.length,
        }
        out.list(rows, columns, 'no route')
      }),
    )
  routes
    .command('get <route>')
    .description('Show a route.')
    .addHelpText('after', examples(`routes get ${id}`, `routes get ${id} --json > route.json`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string) => {
        const route = await client.call('readDefaultRoute', { params: { route_id }, query })
        const { callflow, ignored = [], ...fields } = route
        const steps = callflow.map((step, index): [string, string] => [`step ${index + 1}`, JSON.stringify(step)])
        out.record(route, { ...fields, ignored: ignored.join(' '), ...Object.fromEntries(steps) })
      }),
    )
}

function addMove(routes: Command, terminal: Terminal, to: 'up' | 'down'): void {
  routes
    .command(`${to} <route>`)
    .description(
      to === 'up' ? 'Let a route be tried before the one above it.' : 'Let a route be tried after the one below it.',
    )
    .addHelpText('after', examples(`routes ${to} ${id}`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string) => {
        const operation = to === 'up' ? 'moveDefaultRouteUp' : 'moveDefaultRouteDown'
        const route = await client.call(operation, { params: { route_id }, query })
        out.done(route, `${route_id} has order ${route.order}`)
      }),
    )
}
