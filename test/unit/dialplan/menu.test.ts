import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as replaceDefaultRoute } from '../../../functions/default-routes/replace-default-route.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import { handler as lookUpDialplan } from '../../../functions/engine/look-up-dialplan.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const domain = 'a.example.com'
const busy = [{ hangup: 'USER_BUSY' }]
/** Otherwise the caller would get the answer of the side that was called before. */
const decided = 'set sip_ignore_remote_cause=true'
const rejected = [{ hangup: 'CALL_REJECTED' }]

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ login: '1000', domain, role: 'admin' }))) }
})

const route = (callflow: unknown) =>
  api.call(createDefaultRoute, { headers, body: { destination_number: '5', callflow } })
const problemOf = async (menu: unknown) => (await route([{ menu }])).body.details
const simulate = async (digits?: readonly string[]) =>
  (await api.call(simulateDefaultRoutes, { headers, body: { number: '5', digits } })).body
const endOf = async (digits?: readonly string[]) => (await simulate(digits)).data.end.cause
/** The applications that the engine gets when it asks about a call with these variables. */
const served = async (variables: Record<string, string> = {}) => {
  const basic = engineAuthorization(api.ports.secrets.engine)
  const given = Object.entries(variables).map(([name, value]): [string, string] => [`variable_${name}`, value])
  const form = new URLSearchParams([['section', 'dialplan'], ['Hunt-Context', domain], ...given])
  form.set('Hunt-Destination-Number', '5')
  const { text } = await api.call(lookUpDialplan, {
    rawBody: String(form),
    headers: { ...basic, 'content-type': 'application/x-www-form-urlencoded' },
  })
  return [...text.matchAll(/application="([^"]*)" data="([^"]*)"/g)].map(([, name, data]) => `${name} ${data}`)
}

describe('a menu', () => {
  it('the call takes the callflow of the pressed keys, and the steps after the menu without a choice', async () => {
    const digits = { 1: busy, '*2': rejected }
    await route([{ menu: { tone: 'dial', digits } }, { hangup: 'NO_ANSWER' }])

    expect(await endOf(['1'])).toBe('USER_BUSY')
    expect(await endOf(['*2'])).toBe('CALL_REJECTED')
    for (const other of [['3'], ['*'], [''], [], undefined]) expect(await endOf(other)).toBe('NO_ANSWER')
  })

  it('each menu takes the next entry of the digits that are simulated, also when a menu is heard again', async () => {
    const again = {
      tag: 'top',
      menu: { sound: 'top.wav', digits: { 1: [{ menu: { sound: 'sub.wav', digits: { 2: busy } } }] } },
    }
    await route([again, { goto: 'local:tag:top' }])

    expect(await endOf(['9', '1', '3', '1', '2'])).toBe('USER_BUSY')
    expect(await endOf(['1'])).toBe('EXCHANGE_ROUTING_ERROR')
  })

  it('the steps after a menu follow a choice that has not ended the call, unless the choice breaks', async () => {
    const digits = { 1: [{ setVar: 'x_a=1' }], 2: [{ break: true }] }
    await route([{ menu: { tone: 'dial', digits } }, { hangup: 'NO_ANSWER' }])

    expect(await endOf(['1'])).toBe('NO_ANSWER')
    expect(await endOf(['2'])).toBe('NORMAL_CLEARING')
  })

  it('the engine collects only the keys of the menu, with its times, tries and sounds', async () => {
    const menu = { sound: 'my menu.wav', invalid: 'no/such choice.wav', timeout: 7, tries: 2 }
    await route([{ menu: { ...menu, digits: { 1: busy, 23: busy, '*': busy } } }])

    const asked = (await served()).find((line) => line.startsWith('play_and_get_digits'))

    const sounds = ['my menu.wav', 'no/such choice.wav'].map((name) => `&#39;\${sounds_folder}/${domain}/${name}&#39;`)
    expect(asked).toBe(`play_and_get_digits 1 2 2 7000 # ${sounds.join(' ')} svc_menu ^([*]|1|23)$`)
  })

  it('# ends an input of several keys unless it is a key of the menu', async () => {
    await route([{ menu: { tone: 'dial', digits: { '#': busy, 12: busy } } }])

    expect((await served()).find((line) => line.startsWith('play_and_get_digits'))).toContain(' none tone_stream:')
  })

  it('what a caller pressed is compared with the choices alone, and a route that changed meanwhile takes no other choice', async () => {
    const { body } = await route([{ menu: { tone: 'dial', digits: { 1: busy } } }, { hangup: 'NO_ANSWER' }])
    const position =
      (await served()).find((line) => line.startsWith('set svc_route='))?.slice('set svc_route='.length) ?? ''
    const chosen = (svc_menu: string) => served({ svc_route: position, svc_menu })

    expect(await chosen('1')).toEqual(['unset svc_route', decided, 'hangup USER_BUSY'])
    for (const hostile of ['2', '', '1 ', '__proto__', '${system(id)}', 'constructor']) {
      expect(await chosen(hostile)).toEqual(['unset svc_route', decided, 'hangup NO_ANSWER'])
    }
    const callflow = [
      { menu: { tone: 'dial', digits: { 0: rejected, 1: rejected, 2: rejected } } },
      { hangup: 'NO_ANSWER' },
    ]
    const replaced = { destination_number: '5', callflow }
    await api.call(replaceDefaultRoute, { headers, params: { route_id: body._id }, body: replaced })
    expect(await chosen('9')).toEqual(['unset svc_route', decided, 'hangup NO_ANSWER'])
  })

  it('the variables of a simulation make no choice', async () => {
    await route([{ if: { expression: '${svc_menu} == 1', then: busy } }, { hangup: 'NO_ANSWER' }])

    const body = { number: '5', variables: { svc_menu: '1' } }
    expect((await api.call(simulateDefaultRoutes, { headers, body })).body.data.end.cause).toBe('NO_ANSWER')
  })

  it.each([
    ['no choice', { tone: 'dial', digits: {} }, 'callflow[0].menu.digits'],
    ['a choice that is no key', { tone: 'dial', digits: { a: busy } }, 'callflow[0].menu.digits'],
    ['a choice that would be an expression', { tone: 'dial', digits: { '1|.*': busy } }, 'callflow[0].menu.digits'],
    ['a choice of five keys', { tone: 'dial', digits: { 12345: busy } }, 'callflow[0].menu.digits'],
    ['choices that are no object', { tone: 'dial', digits: busy }, 'callflow[0].menu.digits'],
    ['neither a sound nor a tone', { digits: { 1: busy } }, 'callflow[0].menu'],
    ['both a sound and a tone', { sound: 'a.wav', tone: 'dial', digits: { 1: busy } }, 'callflow[0].menu'],
    ['a sound of another place', { sound: '/etc/passwd', digits: { 1: busy } }, 'callflow[0].menu.sound'],
    ['a stream instead of a sound', { sound: 'tone_stream://x', digits: { 1: busy } }, 'callflow[0].menu.sound'],
    ['a tone that is none', { tone: 'loud', digits: { 1: busy } }, 'callflow[0].menu.tone'],
    ['a time that is too long', { tone: 'dial', timeout: 31, digits: { 1: busy } }, 'callflow[0].menu.timeout'],
    ['too many tries', { tone: 'dial', tries: 11, digits: { 1: busy } }, 'callflow[0].menu.tries'],
    ['a wrong sound for wrong keys', { tone: 'dial', invalid: 5, digits: { 1: busy } }, 'callflow[0].menu.invalid'],
    ['an unknown member', { tone: 'dial', digits: { 1: busy }, terminator: '#' }, 'callflow[0].menu'],
    [
      'a step that the engine lacks',
      { tone: 'dial', digits: { 1: [{ tts: {} }] } },
      'callflow[0].menu.digits.1[0].tts',
    ],
  ])('a menu with %s is refused at its position', async (_what, menu, field) => {
    expect(await problemOf(menu)).toMatchObject([{ field }])
  })

  it('digits of a simulation that are no keys are refused', async () => {
    expect(await simulate(['1', 'x'])).toMatchObject({ code: 'invalid_field', details: [{ field: 'digits[1]' }] })
  })
})
