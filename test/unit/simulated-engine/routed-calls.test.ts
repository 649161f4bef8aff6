import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeDialplanXml } from '../../../functions/engine/write-dialplan-xml.ts'
import {
  type SimulatorHarness,
  type WireClient,
  busy,
  simulatorHarness,
} from '../../support/engine/simulator-harness.ts'
import { fromJson } from '../../support/engine/engine-shape.ts'

type Form = Readonly<Record<string, string>>

const domain = 'tenant1.example.com'
/** The fields of each question of the engine, and the answers. */
let asked: Form[]
let routes: (form: Form) => readonly (readonly [application: string, data?: string])[]
let harness: SimulatorHarness
let listener: WireClient

beforeEach(async () => {
  asked = []
  routes = () => []
  harness = await simulatorHarness({
    phoneBehaviour: (login) => (login === '1001' ? busy : { kind: 'answer', afterMs: 300 }),
    emergencyNumbers: ['1001'],
    dialplan: async (form) => {
      asked.push(form)
      return writeDialplanXml(
        domain,
        routes(form).map(([application, data = '']) => ({ application, data })),
      )
    },
  })
  listener = await harness.login()
  await listener.command('event json CHANNEL_EXECUTE CHANNEL_HANGUP_COMPLETE')
})
afterEach(() => harness.close())

/** Places a call from the phone of 1000, and returns what its own leg has executed, and its end, after some time. */
async function placed(to: string, ms: number): Promise<string[]> {
  const uuid = harness.engine.placeCall('1000', domain, { to })
  await harness.time.advance(ms)
  const events = (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs))
  return events
    .filter((event) => event.get('Unique-ID') === uuid)
    .map((event) =>
      event.get('Event-Name') === 'CHANNEL_EXECUTE'
        ? `${event.get('Application')} ${event.get('Application-Data') ?? ''}`.trim()
        : `ended ${event.get('variable_hangup_cause')}`,
    )
}

describe('a call that the platform routes', () => {
  it('the simulated engine asks the platform with the number, the domain and the account of a call', async () => {
    await placed('77', 0)

    expect(asked).toMatchObject([
      {
        section: 'dialplan',
        'Hunt-Context': domain,
        'Hunt-Destination-Number': '77',
        'Hunt-Caller-ID-Number': '1000',
        variable_sip_authorized: 'true',
        variable_user_name: '1000',
        variable_domain_name: domain,
      },
    ])
  })

  it('the simulated engine finds its own numbers and emergency numbers before the parameters of a dialled text', async () => {
    expect(await placed('5100;phone-context=+49', 500)).toContain('ended USER_BUSY')
    expect(await placed('1001;phone-context=+49', 500)).toEqual(['ended NO_ROUTE_DESTINATION'])
    expect(await placed('1002;user=phone', 0)).toContain(`bridge user/1002@${domain}`)
  })

  it("the applications of a call's route are executed in order, with the call's current variables", async () => {
    routes = () => [
      ['set', 'x_cause=USER_BUSY'],
      ['answer'],
      ['playback', 'tone_stream://%(200,100,440);loops=2'],
      ['hangup', '${x_cause}'],
      ['echo'],
    ]

    expect(await placed('77', 590)).toEqual([
      'set x_cause=USER_BUSY',
      'answer',
      'playback tone_stream://%(200,100,440);loops=2',
    ])
    await harness.time.advance(20)
    expect((await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs).get('Application-Data'))).toContain(
      'USER_BUSY',
    )
  })

  it('the steps after an unanswered bridge are executed if the bridge says so', async () => {
    const bridge = ['bridge', `user/1001@${domain}`] as const
    routes = () => [['set', 'continue_on_fail=true'], bridge, ['hangup', 'NO_ANSWER']]
    expect((await placed('77', 1_000)).slice(-2)).toEqual(['hangup NO_ANSWER', 'ended NO_ANSWER'])

    routes = () => [bridge, ['hangup', 'NO_ANSWER']]
    expect((await placed('77', 1_000)).slice(-2)).toEqual([`bridge user/1001@${domain}`, 'ended USER_BUSY'])
  })

  it('exported variables are set on the called leg, too', async () => {
    await listener.command('event json CHANNEL_ANSWER')
    routes = () => [
      ['export', 'x_both=1'],
      ['export', 'nolocal:x_called=2'],
      ['bridge', `user/1002@${domain}`],
    ]

    harness.engine.placeCall('1000', domain, { to: '77' })
    await harness.time.advance(1_000)

    const answers = (await listener.drain())
      .map(({ body }) => new Map(fromJson(body).pairs))
      .filter((event) => event.get('Event-Name') === 'CHANNEL_ANSWER' && event.get('Call-Direction') === 'outbound')
    expect(answers.map((event) => [event.get('variable_x_both'), event.get('variable_x_called')])).toEqual([['1', '2']])
  })

  it('a transfer asks the platform for the route of the other number', async () => {
    routes = ({ 'Hunt-Destination-Number': number }) =>
      number === '77' ? [['transfer', `78 XML ${domain}`]] : [['hangup', 'CALL_REJECTED']]

    expect(await placed('77', 0)).toEqual([`transfer 78 XML ${domain}`, 'hangup CALL_REJECTED', 'ended CALL_REJECTED'])
  })

  it('a call that loops ends after seventy transfers', async () => {
    routes = () => [['transfer', `77 XML ${domain}`]]

    const executed = await placed('77', 0)

    expect(executed).toHaveLength(72)
    expect(executed.at(-1)).toBe('ended EXCHANGE_ROUTING_ERROR')
  })

  it('a scheduled hang-up happens while the call continues, and not to a call that has ended', async () => {
    routes = () => [['sched_hangup', '+5 ALLOTTED_TIMEOUT'], ['answer'], ['echo']]

    expect((await placed('77', 4_900)).at(-1)).toBe('echo')
    await harness.time.advance(200)
    expect(
      (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs).get('variable_hangup_cause')),
    ).toEqual(['ALLOTTED_TIMEOUT'])
  })

  describe('at a menu', () => {
    const menu = (tries: number, ends = '#') =>
      `1 2 ${tries} 5000 ${ends} tone_stream://%(1000,0,440) 'a sound.wav' svc_menu ^([*]|1|23)$`
    const chosen = () => [['play_and_get_digits', menu(2)] as const, ['log', 'chose ${svc_menu}'] as const]
    /** Places a call, presses keys after 100 ms each, and returns what its leg executes until 20 s later. */
    const pressed = async (...keys: string[]) => {
      const uuid = harness.engine.placeCall('1000', domain, { to: '77' })
      await harness.time.advance(100)
      for (const key of keys) {
        await listener.command(`api uuid_recv_dtmf ${uuid} ${key}`)
        await harness.time.advance(100)
      }
      await harness.time.advance(20_000)
      const events = (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs))
      return events.flatMap((event) => (event.get('Application') === 'log' ? [event.get('Application-Data')] : []))
    }

    it.each([
      ['one key', ['*'], '*'],
      ['two keys', ['2', '3'], '23'],
      ['two keys at once', ['23'], '23'],
      ['a key that may be the first of two, and #', ['1', '#'], '1'],
      ['a key that may be the first of two', ['1'], '1'],
      ['a wrong choice, and a right one', ['99', '23'], '23'],
      ['a wrong choice twice', ['99', '99', '1'], ''],
      ['nothing', [], ''],
    ])('a caller who presses %s has made the choice that the variable says', async (_what, keys, choice) => {
      routes = chosen

      expect(await pressed(...keys)).toEqual([`chose ${choice}`])
    })

    it('a key interrupts the prompt, and is an event of the call', async () => {
      await listener.command('event json DTMF PLAYBACK_STOP')
      routes = () => [
        ['play_and_get_digits', menu(1)],
        ['hangup', 'USER_BUSY'],
      ]
      const uuid = harness.engine.placeCall('1000', domain, { to: '77' })
      await harness.time.advance(200)

      listener.send(`api uuid_recv_dtmf ${uuid} *\n\n`)
      await harness.time.advance(0)

      const frames = (await listener.drain()).filter(({ body }) => body.startsWith('{'))
      const events = frames.map(({ body }) => new Map(fromJson(body).pairs))
      const stop = events.find((event) => event.get('Event-Name') === 'PLAYBACK_STOP')
      expect([stop?.get('Playback-Status'), stop?.get('variable_playback_ms')]).toEqual(['break', '200'])
      expect(events.find((event) => event.get('Event-Name') === 'DTMF')?.get('DTMF-Digit')).toBe('*')
    })

    it('a call that hangs up at a menu ends there', async () => {
      routes = chosen
      const uuid = harness.engine.placeCall('1000', domain, { to: '77' })
      await harness.time.advance(100)

      await listener.drain()
      await listener.command(`api uuid_kill ${uuid}`)
      await harness.time.advance(20_000)

      const after = (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs).get('Event-Name'))
      expect(after).toEqual(['CHANNEL_HANGUP_COMPLETE'])
      expect((await listener.command(`api uuid_recv_dtmf ${uuid} 1`)).body).toBe('-ERR Cannot locate session!\n')
    })
  })

  it('a mailbox takes a message of up to four minutes, counts it, and is emptied', async () => {
    routes = () => [['answer'], ['voicemail', `default ${domain} 1001`]]
    const messages = async () => (await listener.command(`api vm_boxcount default/1001@${domain}`)).body

    expect(await placed('77', 241_000)).toEqual(['answer', `voicemail default ${domain} 1001`, 'ended NORMAL_CLEARING'])
    expect(await messages()).toBe('1')
    expect((await listener.command(`api vm_delete 1001@${domain}`)).body).toBe('+OK\n')
    expect(await messages()).toBe('0')
  })

  it('the owner of a mailbox leaves no message in it', async () => {
    routes = () => [['answer'], ['voicemail', `check default ${domain} 1001`]]

    await placed('77', 241_000)

    expect((await listener.command(`api vm_boxcount 1001@${domain}`)).body).toBe('0')
  })

  it('the mailbox of an account that does not exist ends at once, as at the real engine', async () => {
    routes = () => [['answer'], ['voicemail', `default ${domain} 4711`]]

    expect(await placed('77', 1_000)).toEqual(['answer', `voicemail default ${domain} 4711`, 'ended NORMAL_CLEARING'])
  })
})

describe('a call that the platform does not route', () => {
  it("a call without a route of the platform reaches the engine's own numbers", async () => {
    expect(await placed('5111', 0)).toEqual(['hangup USER_NOT_REGISTERED', 'ended USER_NOT_REGISTERED'])
    expect(await placed('5110', 6_000)).toEqual(['ring_ready', 'sleep 5000', 'answer', 'echo'])
  })

  it('an emergency number calls no account', async () => {
    expect(await placed('1001', 1_000)).toEqual(['ended NO_ROUTE_DESTINATION'])
    expect((await placed('1002', 1_000)).at(-1)).toBe(`bridge user/1002@${domain}`)
  })

  it('a platform that fails counts as one without a route', async () => {
    routes = () => {
      throw new Error('away')
    }

    expect(await placed('9199', 0)).toEqual(['answer', 'hangup', 'ended NORMAL_CLEARING'])
  })
})
