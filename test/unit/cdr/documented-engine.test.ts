import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lutimesSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../support/platform/command.ts'
import { documentText } from '../../support/records/document.ts'
import { type PlainAnswer, recordRequests } from '../../support/records/recorded-requests.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

/** The blocks of configuration of the page on engines. */
const configuration = (): string[] =>
  documentText('engine.md')
    .split('```xml\n')
    .slice(1)
    .flatMap((rest) => rest.split('\n```').slice(0, 1))

describe('the engine configuration in engine.md', () => {
  it('the documented engine configuration limits the time that a phone waits for the platform', () => {
    const bindings = configuration().filter((block) => block.includes('/engine/directory'))

    expect(bindings).toHaveLength(1)
    expect(bindings[0]).toMatch(/<param name="timeout" value="[1-3]"\/>/)
  })

  it('the documented engine writes CDRs to the disk and posts none from the thread of a call', () => {
    const blocks = configuration().filter((block) => block.includes('log-b-leg'))

    expect(blocks).toHaveLength(1)
    expect(blocks[0]).toMatch(/<param name="log-dir" value="\/[^"]+"\/>/)
    expect(blocks[0]).not.toMatch(/<param name="url"/)
  })
})

/** No curl: nothing that could post. The pipeline has it. */
const hasCurl = spawnSync('curl', ['--version']).status === 0

describe.skipIf(!hasCurl)('the script of the engine kit that posts CDRs', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'callplane-cdrs-'))
    writeFileSync(join(folder, 'credential'), 'user = "engine:the-credential"\n')
    return () => rmSync(folder, { recursive: true, force: true })
  })

  /** Writes a CDR as the engine does, ten minutes ago. */
  function written(uuid: string): void {
    const path = join(folder, `${uuid}.cdr.json`)
    writeFileSync(path, `{"variables":{"uuid":"${uuid}"}}\n`)
    const then = new Date(Date.now() - 600_000)
    utimesSync(path, then, then)
  }

  async function post(answer: (uuid: string | null) => PlainAnswer) {
    const server = await recordRequests(({ url }) => answer(new URL(url, 'http://x').searchParams.get('uuid')))
    const args = [join(process.cwd(), 'engine/bin/post-cdrs'), folder, `${server.url}/engine/cdr`]
    try {
      const ran = await runCommand('sh', [...args, join(folder, 'credential')], { cwd: folder })
      return { ...ran, requests: server.requests }
    } finally {
      await server.close()
    }
  }

  const left = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.cdr.json'))
      .sort()

  it('the documented script posts each CDR file under its uuid with the credential, and removes accepted ones', async () => {
    written('aaa-1')
    written('bbb-2')

    const { status, output, requests } = await post(() => ({ status: 200 }))

    expect([status, output]).toEqual([0, ''])
    expect(requests.map(({ method, url, body }) => `${method} ${url} ${body.trimEnd()}`).sort()).toEqual([
      'POST /engine/cdr?uuid=aaa-1 {"variables":{"uuid":"aaa-1"}}',
      'POST /engine/cdr?uuid=bbb-2 {"variables":{"uuid":"bbb-2"}}',
    ])
    const { authorization: basic } = engineAuthorization('the-credential')
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([basic]))
    expect(left()).toEqual([])
  })

  it.each([503, 500, 401, 429, 404])(
    'the documented script keeps every file when the platform answers %i, and ends after the first',
    async (refusal) => {
      written('aaa-1')
      written('bbb-2')

      const { status, output, requests } = await post(() => ({ status: refusal }))

      expect(status).toBe(1)
      expect(output).toContain(`answered ${refusal}; the files stay`)
      expect(requests).toHaveLength(1)
      expect(left()).toEqual(['aaa-1.cdr.json', 'bbb-2.cdr.json'])
    },
  )

  it('the documented script continues when another run has taken a file meanwhile', async () => {
    written('aaa-1')
    written('bbb-2')

    const { status, output } = await post((uuid) => {
      rmSync(join(folder, `${uuid}.cdr.json`))
      return { status: 503 }
    })

    expect([status, output]).toEqual([0, ''])
    expect(left()).toEqual([])
  })

  it('the documented script sets aside CDRs that the platform refuses for good, and continues', async () => {
    written('aaa-1')
    written('bad-1')
    written('ccc&x=1')
    written('zzz-9')

    const { status } = await post((uuid) => ({ status: uuid === 'bad-1' ? 400 : 200 }))

    expect(status).toBe(0)
    expect(left()).toEqual([])
    expect(readdirSync(join(folder, 'refused')).sort()).toEqual(['bad-1.cdr.json', 'ccc&x=1.cdr.json'])
  })

  it('the documented script follows no link', async () => {
    const then = new Date(Date.now() - 600_000)
    writeFileSync(join(folder, 'secret'), '{}')
    symlinkSync(join(folder, 'secret'), join(folder, 'link-1.cdr.json'))
    lutimesSync(join(folder, 'link-1.cdr.json'), then, then)

    const { status, requests } = await post(() => ({ status: 200 }))

    expect([status, requests, existsSync(join(folder, 'secret'))]).toEqual([0, [], true])
  })

  it('the documented script leaves a file alone that the engine may still be writing', async () => {
    writeFileSync(join(folder, 'new-1.cdr.json'), '{"variables":')

    const { status, requests } = await post(() => ({ status: 400 }))

    expect([status, requests]).toEqual([0, []])
    expect(left()).toEqual(['new-1.cdr.json'])
    expect(existsSync(join(folder, 'refused', 'new-1.cdr.json'))).toBe(false)
  })
})
