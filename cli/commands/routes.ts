import type { Command } from 'commander'
import type { Answer, Input } from '../../client/index.ts'
import { confirm } from '../input/confirm.ts'
import { readObject } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { addSimulation } from './route-simulation.ts'
import { allRows } from './rows.ts'

type RouteRow = Answer<'listDefaultRoutes' | 'listPublicRoutes'>[number]
type RouteBody = Input<'createPublicRoute'>['body']

const kinds = {
  routes: {
    description: 'Default routes: patterns of numbers that accounts call, and what happens to their calls.',
    list: 'listDefaultRoutes',
    read: 'readDefaultRoute',
    create: 'createDefaultRoute',
    replace: 'replaceDefaultRoute',
    delete: 'deleteDefaultRoute',
    up: 'moveDefaultRouteUp',
    down: 'moveDefaultRouteDown',
  },
  'public-routes': {
    description: 'Public routes: patterns of numbers that calls from gateways have, and what happens to these calls.',
    list: 'listPublicRoutes',
    read: 'readPublicRoute',
    create: 'createPublicRoute',
    replace: 'replacePublicRoute',
    delete: 'deletePublicRoute',
    up: 'movePublicRouteUp',
    down: 'movePublicRouteDown',
  },
} as const

type Kind = keyof typeof kinds

const id = '0123456789abcdef01234567'

/** Adds the commands about default and public routes. */
export function addRoutes(program: Command, terminal: Terminal): void {
  addSimulation(addKind(program, terminal, 'routes'), terminal)
  addKind(program, terminal, 'public-routes')
}

function addKind(program: Command, terminal: Terminal, kind: Kind): Command {
  const operations = kinds[kind]
  const routes = program.command(kind).description(operations.description)
  addReading(routes, terminal, kind)
  routes
    .command('create <file>')
    .description('Make a route from a JSON file ("-" is standard input), with the fields that "get --json" shows.')
    .addHelpText('after', examples(`${kind} create route.json`, `${kind} create - < route.json`))
    .action(
      withSession(terminal, async ({ client, out, query }, file: string) => {
        // The platform checks the fields and names the wrong ones.
        const answer = await client.call(operations.create, { query, body: readObject(file) as RouteBody })
        out.done(answer, `created ${answer._id}`)
      }),
    )
  routes
    .command('update <route> <file>')
    .description('Replace a route by that of a JSON file ("-" is standard input).')
    .addHelpText('after', examples(`${kind} update ${id} route.json`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string, file: string) => {
        const body = readObject(file) as RouteBody
        out.done(await client.call(operations.replace, { params: { route_id }, query, body }), `updated ${route_id}`)
      }),
    )
  routes
    .command('delete <route>')
    .description('Delete a route.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples(`${kind} delete ${id} --yes`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the route ${route_id}`, route_id, yes)
        out.done(await client.call(operations.delete, { params: { route_id }, query }), `deleted ${route_id}`)
      }),
    )
  addMove(routes, terminal, kind, 'up')
  addMove(routes, terminal, kind, 'down')
  return routes
}

function addReading(routes: Command, terminal: Terminal, kind: Kind): void {
  routes
    .command('list')
    .description('List the routes of the domain in their order.')
    .addHelpText('after', examples(`${kind} list`))
    .action(
      withSession(terminal, async ({ client, out, query }) => {
        const rows = await allRows(client.pages(kinds[kind].list, { query }), (page) => page)
        const columns: Columns<RouteRow> = {
          route: (row) => row._id,
          order: { of: (row) => row.order, rank: 2 },
          pattern: { of: (row) => row.destination_number, least: 12 },
          name: { of: (row) => row.name, rank: 1, least: 10 },
          enabled: { of: (row) => (row.disabled === true ? 'no' : 'yes'), look: 'state', rank: 1 },
          steps: { of: (row) => row.callflow?.length, rank: 3 },
        }
        out.list(rows, columns, 'no route')
      }),
    )
  routes
    .command('get <route>')
    .description('Show a route.')
    .addHelpText('after', examples(`${kind} get ${id}`, `${kind} get ${id} --json > route.json`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string) => {
        const route = await client.call(kinds[kind].read, { params: { route_id }, query })
        const { callflow, ignored = [], ...fields } = route
        const steps = callflow.map((step, index): [string, string] => [`step ${index + 1}`, JSON.stringify(step)])
        out.record(route, { ...fields, ignored: ignored.join(' '), ...Object.fromEntries(steps) })
      }),
    )
}

function addMove(routes: Command, terminal: Terminal, kind: Kind, to: 'up' | 'down'): void {
  routes
    .command(`${to} <route>`)
    .description(
      to === 'up' ? 'Let a route be tried before the one above it.' : 'Let a route be tried after the one below it.',
    )
    .addHelpText('after', examples(`${kind} ${to} ${id}`))
    .action(
      withSession(terminal, async ({ client, out, query }, route_id: string) => {
        const route = await client.call(kinds[kind][to], { params: { route_id }, query })
        out.done(route, `${route_id} has order ${route.order}`)
      }),
    )
}
