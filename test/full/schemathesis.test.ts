/**
 * A property-based tester that knows the platform by its description alone sends valid and invalid requests to each
 * operation, and holds every answer to the description.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../contracts/openapi/document.ts'
import examples from '../../contracts/openapi/examples.json' with { type: 'json' }
import { routes } from '../../contracts/routes/index.ts'
import { runCommand } from '../support/platform/command.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { hooksFolder, installSchemathesis, platformHooks } from '../support/schemathesis/schemathesis.ts'

const domain = 'described.example.com'
const tester = installSchemathesis()
if ('missing' in tester) console.warn(`schemathesis does not test the API: ${tester.missing}`)

let platform: TestPlatform
let folder: string

beforeAll(async () => {
  if ('missing' in tester) return
  folder = mkdtempSync(join(tmpdir(), 'callplane-schemathesis-'))
  platform = await aPlatform()
})

afterAll(async () => {
  await platform?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

/** Makes one of everything that a path can name, and returns the values of the parameters. */
async function fillTenant(): Promise<Readonly<Record<string, string>>> {
  const admin = await platform.tenant(domain)
  const root = await platform.root()
  const action = { type: 'web', method: 'POST', url: 'http://127.0.0.1:9/' } as const
  const hook = await admin.call('createHooks', { body: { event: 'CHANNEL_CREATE', action } })
  const route = await admin.call('createDefaultRoute', {
    body: { name: 'Sales', destination_number: '^5\\d{3}$', callflow: [{ answer: '' }] },
  })
  await admin.call('addBlacklistNumber', { params: { blacklist_name: 'unwanted' }, body: { number: '100' } })
  await root.call('createRole', { query: { domain }, body: { roles: 'clerk', allows: { hook: ['r'] } } })
  return {
    'query.domain': domain,
    'path.domain_name': domain,
    'path.account_id': '1002',
    'path.hook_id': hook.data.insertedIds[0] ?? '',
    'path.route_id': route._id,
    'path.blacklist_name': 'unwanted',
    'path.blacklist_number': '100',
    'path.name': 'clerk',
    'path.file': 'reference.js',
  }
}

/** Paths that another path with a parameter matches, too: `GET` of them is a `GET` of the other. */
const shadowed = ['/api/v2/cdr/export', '/api/v2/cdr/text', '/api/v2/hooks/dry-run', '/api/v2/routes/default/simulate']

function configuration(parameters: Readonly<Record<string, string>>): string {
  const quoted = (text: string) => JSON.stringify(text)
  return [
    // Much that a schema accepts is refused for what it means, with a documented 400: control characters, cursors of
    // other lists, one-time codes, times that are over, members that need each other.
    '[checks]',
    'positive_data_acceptance.enabled = false',
    '',
    '[parameters]',
    ...Object.entries(parameters).map(([name, value]) => `${quoted(name)} = ${quoted(value)}`),
    '',
    '[[operations]]',
    'include-operation-id = "deleteDomain"',
    `parameters = { "path.domain_name" = "gone.example.com" }`,
    '',
    ...shadowed.flatMap((path) => [
      '[[operations]]',
      `include-path = ${quoted(path)}`,
      'checks = { unsupported_method = { enabled = false }, allow_header_conformance = { enabled = false } }',
      '',
    ]),
  ].join('\n')
}

interface JsonBody {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: { readonly properties?: Record<string, unknown> } }>>
  }
}

/**
 * The longest text of a parameter of lists. Four of them at once exceed the 10 KB of request line and headers that an
 * HTTP API takes.
 */
const longestText = 4096

/**
 * Returns the description as the tester gets it: bodies name the domain of the caller, since any other is refused
 * before the rest is looked at, and all parameters of a list fit into one request.
 */
function describedFor(tenant: string): string {
  const document = JSON.parse(
    JSON.stringify(openApiDocument(routes, examples), (name, value: unknown) =>
      name === 'maxLength' && value === longestText ? longestText / 8 : value,
    ),
  )
  for (const operation of Object.values<Record<string, JsonBody>>(document.paths).flatMap((item) =>
    Object.values(item),
  )) {
    const properties = operation.requestBody?.content['application/json']?.schema?.properties
    if (properties?.['domain'] !== undefined) properties['domain'] = { type: 'string', enum: [tenant] }
  }
  return JSON.stringify(document)
}

describe.skipIf('missing' in tester)('schemathesis', () => {
  it('schemathesis, which knows only the API description, finds no operation that contradicts it', async () => {
    const parameters = await fillTenant()
    writeFileSync(join(folder, 'schemathesis.toml'), configuration(parameters))
    writeFileSync(join(folder, 'openapi.json'), describedFor(domain))
    const operations = routes.reduce((sum, { otherMethods = [] }) => sum + 1 + otherMethods.length, 0)

    const { status, output } = await runCommand(
      'program' in tester ? tester.program : '',
      [
        'run',
        'openapi.json',
        `--url=${platform.url}`,
        '--phases=examples,coverage,fuzzing',
        '--max-examples=2',
        '--workers=2',
        '--seed=1',
        '--no-shrink',
        '--continue-on-failure',
        '--no-color',
      ],
      {
        cwd: folder,
        env: {
          ...process.env,
          PLATFORM_URL: platform.url,
          ROOT_PASSWORD: platform.platform.kept.rootPassword,
          ENGINE_CREDENTIAL: platform.platform.kept.engineCredential,
          ADMIN_USERNAME: `1000@${domain}`,
          ADMIN_PASSWORD: tenantPassword('1000'),
          PYTHONPATH: hooksFolder,
          PYTHONDONTWRITEBYTECODE: '1',
          SCHEMATHESIS_HOOKS: platformHooks,
        },
      },
    )

    expect(status, output).toBe(0)
    expect(output).toContain(`Tested: ${operations}`)
  })
})
