import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anEavesdrop, anOriginate } from '../../support/connector/command-message.ts'
import { type CommandPath, aCommandPath } from '../../support/connector/command-path.ts'
import { fixed, hostileText, mutated, notText } from '../../support/records/hostile-text.ts'

/** Values that try to break out of an engine command. */
const samples = Object.values(
  JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/call-control.json', import.meta.url), 'utf8')) as Record<
    string,
    string[]
  >,
).flat()

const domain = 'a.example.com'
const uuid = '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'
const other = '0b7a1c1e-0000-4000-8000-000000000001'

let path: CommandPath

beforeEach(async () => {
  path = await aCommandPath()
  path.engine.channels.set(uuid, { domain, presenceId: `1000@${domain}`, isHeld: false })
  await path.connect()
})
afterEach(() => path.close())

type Json = Readonly<Record<string, unknown>>

/** A message as an endpoint would have sent it, with one value in one place of it replaced. */
function message(command: object, given: Json = {}): Json {
  const now = path.time.clock.now()
  const scope = { domain, presenceId: null }
  // Later than the accounts were made, so that a drop finds none that was made again.
  return { version: 1, id: randomUUID(), scope, command, deadlineAt: now + 20_000, createdAt: now + 1, ...given }
}

const places: readonly { readonly place: string; readonly good: string; readonly make: (value: unknown) => Json }[] = [
  { place: 'calledId', good: '15551234', make: (value) => message({ ...anOriginate(), calledId: value }) },
  { place: 'callerId', good: '1000', make: (value) => message({ ...anOriginate(), callerId: value }) },
  { place: 'uuid of a call', good: other, make: (value) => message({ ...anOriginate(), uuid: value }) },
  { place: 'timeoutSeconds', good: '60', make: (value) => message({ ...anOriginate(), timeoutSeconds: value }) },
  {
    place: 'autoAnswer name',
    good: 'sip_auto_answer',
    make: (value) => message({ ...anOriginate(), autoAnswer: { name: value, value: 'true' } }),
  },
  {
    place: 'autoAnswer value',
    good: 'true',
    make: (value) => message({ ...anOriginate(), autoAnswer: { name: 'sip_auto_answer', value } }),
  },
  {
    place: 'variable name',
    good: 'x_lead',
    make: (value) => message({ ...anOriginate(), variables: { [String(value)]: '1' } }),
  },
  { place: 'variable value', good: '42', make: (value) => message({ ...anOriginate(), variables: { x_lead: value } }) },
  { place: 'held channel', good: uuid, make: (value) => message({ kind: 'hold', uuid: value }) },
  { place: 'resumed channel', good: uuid, make: (value) => message({ kind: 'unhold', uuid: value }) },
  {
    place: 'ended channel',
    good: uuid,
    make: (value) => message({ kind: 'hangup', uuid: value, cause: 'NORMAL_CLEARING' }),
  },
  { place: 'cause', good: 'USER_BUSY', make: (value) => message({ kind: 'hangup', uuid, cause: value }) },
  { place: 'listened channel', good: uuid, make: (value) => message({ ...anEavesdrop(), target: value }) },
  { place: 'listener', good: '1001', make: (value) => message({ ...anEavesdrop({ target: uuid }), user: value }) },
  { place: 'display', good: '555', make: (value) => message({ ...anEavesdrop({ target: uuid }), display: value }) },
  { place: 'mode', good: 'barge', make: (value) => message({ ...anEavesdrop({ target: uuid }), mode: value }) },
  { place: 'side', good: '1001', make: (value) => message({ ...anEavesdrop({ target: uuid }), side: value }) },
  { place: 'flushed account', good: '1000', make: (value) => message({ kind: 'flush-account', login: value }) },
  { place: 'dropped account', good: '1000', make: (value) => message({ kind: 'drop-registrations', login: value }) },
  {
    place: 'domain of dropped accounts',
    good: domain,
    make: (value) => message({ kind: 'drop-domain-registrations' }, { scope: { domain: value, presenceId: null } }),
  },
  { place: 'kind', good: 'hold', make: (value) => message({ kind: value, uuid }) },
  {
    place: 'domain of a call',
    good: domain,
    make: (value) => message(anOriginate(), { scope: { domain: value, presenceId: null } }),
  },
  {
    place: 'domain of an account',
    good: domain,
    make: (value) => message({ kind: 'flush-account', login: '1000' }, { scope: { domain: value, presenceId: null } }),
  },
  { place: 'id of the command', good: uuid, make: (value) => message(anOriginate(), { id: value }) },
]

const id = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const name = '[A-Za-z0-9._+-]{1,64}'
const host = '[a-z0-9.-]{1,253}'
// Characters that end, split or expand a value at the engine may not stand inside the braces or in a quoted value.
const plain = "[^\\u0000-\\u001f\\u007f{}[\\]'\\\\,$ ]*"
const value = `(?:${plain}|'[^\\u0000-\\u001f\\u007f{}[\\]'\\\\,$]*')`
// A dollar is plain text unless a brace follows it.
const loose = (text: string) => text.replaceAll('$', '(?:$)')

/** The only lines that the engine may ever be given for a command. Written anew here, not taken from the product. */
const lines = [
  `originate \\{origination_uuid=${id},domain_name=${host},ignore_early_media=true(?:,[A-Za-z0-9_-]{1,64}=${value})*\\}` +
    `user/${name}@${host} (?:[0-9A-Za-z+*#._-]{1,64} XML ${host} \\S{1,64} \\S{1,64}|&eavesdrop\\(${id}\\) XML ${host} \\S{1,64} \\S{1,64})`,
  `uuid_hold (?:off )?${id}`,
  `uuid_kill ${id} [A-Z0-9_]{1,40}`,
  `xml_flush_cache id ${name} ${host}`,
  'xml_flush_cache',
].map((form) => new RegExp(`^${loose(form).replaceAll('(?:$)', '$')}$`, 'u'))

/** The lines that a connector sends on its links by itself. */
const own = [
  /^auth ClueCon$/,
  /^api (?:global_getvar core_uuid|status|show (?:channels|registrations) as json|xml_flush_cache|sofia status|sofia profile external rescan)$/,
  new RegExp(`^api xml_flush_cache id ${name} ${host}$`),
  new RegExp(`^api sofia profile internal flush_inbound_reg (?:${name}(?:=${host})?)?@${host}$`),
  new RegExp(`^api uuid_kill ${id} MANAGER_REQUEST$`),
  new RegExp(`^api vm_delete ${name}@${host}$`),
  /^(?:event json|nixevent) /,
]
const channelId = '[A-Za-z0-9._~@:+-]{1,128}'
const lookUp = new RegExp(`^api uuid_dump ${channelId} json$`)

/** Every block of bytes is one of the few that there may be, whatever was in the messages. */
function checkBytes(): void {
  for (const block of path.engine.blocks) {
    if (own.some((form) => form.test(block)) || lookUp.test(block)) continue
    const [first = '', second = '', ...more] = block.split('\n')
    expect(more).toEqual([])
    expect(second, block).toMatch(new RegExp(`^Job-UUID: ${id}$`, 'i'))
    expect(first).toMatch(/^bgapi /)
    const line = first.slice('bgapi '.length)
    expect(
      lines.filter((form) => form.test(line.replaceAll('$', ''))),
      line,
    ).toHaveLength(1)
    expect(line).not.toMatch(/:_:|\$\{|[\r\n\0]/)
  }
}

/** Lists the commands that the engine got: jobs, and drops at a SIP profile and of a mailbox, which are no jobs. */
function orders(): string[] {
  return [
    ...path.engine.lines,
    ...path.engine.blocks.filter((block) => /^api (?:sofia profile internal|vm_delete) /.test(block)),
  ]
}

async function deliver(body: unknown): Promise<void> {
  const given = JSON.stringify(body)
  await path.store.create(JSON.parse(given))
  path.queue.put(given)
  await path.until(() => path.queue.size === 0, 10)
}

/** A value that is in order where it stands: it is nothing that breaks out. */
const ordinary: Readonly<Record<string, RegExp>> = {
  calledId: /^(?:\+?[0-9*#]{1,32}|[A-Za-z][A-Za-z0-9._-]{0,63})$/,
  callerId: new RegExp(`^${name}$`),
  listener: new RegExp(`^${name}$`),
  side: new RegExp(`^(?:${name}|\\+?[0-9*#]{1,32})$`),
  'flushed account': new RegExp(`^${name}$`),
  'dropped account': new RegExp(`^${name}$`),
  'autoAnswer value': /^[^{}[\],'"\\$\n\r\0]*$/,
  'variable name': /^[A-Za-z0-9_-]{1,64}$/,
  'variable value': /^[^{}[\]'\\,\n\r\0]*$/,
  display: /^\+?[0-9*#]{1,32}$/,
  'domain of a call': /^[A-Za-z0-9][A-Za-z0-9.-]*$/,
  'domain of dropped accounts': /^[A-Za-z0-9][A-Za-z0-9.-]*$/,
  'domain of an account': /^[A-Za-z0-9][A-Za-z0-9.-]*$/,
  'held channel': new RegExp(`^${channelId}$`),
  'resumed channel': new RegExp(`^${channelId}$`),
  'ended channel': new RegExp(`^${channelId}$`),
  'listened channel': new RegExp(`^${channelId}$`),
  'id of the command': new RegExp(`^${id}$`, 'i'),
}

describe.each(places)('a message of the queue whose $place', ({ place, good, make }) => {
  test(`a message whose ${place} is valid gives the lines of its command`, async () => {
    const isNumber = place === 'timeoutSeconds'
    await deliver(make(isNumber ? Number(good) : good))

    // An account's phones may be registered under its login or its full name, and it has a mailbox.
    const expected = place === 'dropped account' ? 3 : 1
    await path.until(() => orders().length >= expected)
    expect(orders()).toHaveLength(expected)
    checkBytes()
  })

  test(`a message whose ${place} breaks out of its quotes gives no line, with every sample`, async () => {
    for (const sample of samples.filter((each) => ordinary[place]?.test(each) !== true)) {
      await deliver(make(sample))
      expect(orders(), sample).toEqual([])
    }
    checkBytes()
  })

  test(`a message whose ${place} is random text gives no line except one of the known form, with nothing after it`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostileText, mutated(good), notText), async (made) => {
        await deliver(make(made))
        checkBytes()
      }),
      fixed(40),
    )
  })
})

test('messages that are not commands are counted, and none of their text is sent to the engine or logged', async () => {
  const planted = 'planted-7f3a'
  const bodies = ['', 'null', '[]', `"${planted}"`, `{"version":1,"x":"${planted}"}`, `${planted}\n\napi status`]
  for (const body of bodies) {
    path.queue.put(body)
    await path.until(() => path.queue.size === 0, 10)
  }

  expect(path.engine.lines).toEqual([])
  expect(JSON.stringify(path.log.lines)).not.toContain(planted)
  checkBytes()
})
