import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { baseFindings, nodeFindings } from '../../../local/advisories/base-image.ts'
import { runCommand } from '../../support/platform/command.ts'

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))
const folder = mkdtempSync(join(tmpdir(), 'advisories-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A server of this machine; answers its origin. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const name = 'registry.example/library/node:24.9.0-bookworm-slim'
const [old, current] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`]

/** A registry of images that wants a token, as public ones do. */
const registry: RequestListener = ({ url = '', headers }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://registry.example')
  if (pathname === '/token') {
    response.end(JSON.stringify({ token: `${searchParams.get('service')} ${searchParams.get('scope')}` }))
  } else if (headers.authorization !== 'Bearer images repository:library/node:pull') {
    const scope = 'repository:library/node:pull'
    response.writeHead(401, { 'www-authenticate': `Bearer realm="/token",service="images",scope="${scope}"` }).end()
  } else {
    const isThere = pathname === '/v2/library/node/manifests/24.9.0-bookworm-slim'
    response.writeHead(isThere ? 200 : 404, { 'docker-content-digest': current }).end()
  }
}

it('a rebuilt base image is reported with the digest to set, and a current one is not', async () => {
  const origin = await serving(registry)

  const outdated = await baseFindings({ name, digest: old }, origin)
  const unpinned = await baseFindings({ name, digest: '' }, origin)
  const same = await baseFindings({ name, digest: current }, origin)

  const action = `set "connectorBaseDigest": "${current}" and deploy CallplaneConnector`
  expect(outdated).toEqual([{ subject: name, problem: `was built anew since ${old}`, action }])
  expect(unpinned).toEqual([expect.objectContaining({ action })])
  expect(same).toEqual([])
})

it('a registry that does not know the tag of the base image is an error and not an all-clear', async () => {
  const origin = await serving(registry)

  const asked = baseFindings({ name: name.replace('24.9.0', '24.9.1'), digest: current }, origin)

  await expect(asked).rejects.toThrow('answers 404')
})

it('a later release of the same line of Node that fixes a vulnerability is reported, and no other', async () => {
  const list = [
    { version: 'v25.1.0', security: true },
    { version: 'v24.12.0', security: false },
    { version: 'v24.11.1', security: true },
    { version: 'v24.10.0', security: true },
    { version: 'v24.9.0', security: true },
  ]
  const origin = await serving((_request, response) => response.end(JSON.stringify(list)))

  const findings = await nodeFindings({ name, digest: '' }, origin)
  const ofLatest = await nodeFindings({ name: name.replace('24.9.0', '24.11.1'), digest: '' }, origin)

  expect(findings).toEqual([
    expect.objectContaining({ subject: 'Node 24.9.0', problem: expect.stringContaining('24.11.1') }),
  ])
  expect(ofLatest).toEqual([])
})

const advisory = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-0000-0000-0000',
  title: 'a page can run code',
  severity: 'high',
  vulnerable_versions: '<1.2.0',
}

/** A registry of packages that has an advisory for `leaky` and for `tool`, which 1.2.0 mends. */
const packages: RequestListener = ({ url = '' }, response) => {
  if (url.endsWith('/advisories/bulk')) {
    return void response.end(JSON.stringify({ leaky: [advisory], tool: [{ ...advisory, id: 2 }] }))
  }
  const versions = Object.fromEntries(
    ['1.0.0', '1.2.0'].map((version) => [version, { name: url.slice(1), version, dist: { tarball: '' } }]),
  )
  response.end(JSON.stringify({ name: url.slice(1), 'dist-tags': { latest: '1.2.0' }, versions }))
}

/** Prints the findings of a project of one package that is deployed and one that is a tool, as a process whose npm asks a registry. */
async function findingsFrom(origin: string) {
  const dependencies = { leaky: '1.0.0' }
  const devDependencies = { tool: '1.0.0' }
  const project = { name: 'project', version: '1.0.0', dependencies, devDependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project))
  const lock = {
    name: 'project',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': project,
      'node_modules/leaky': { version: '1.0.0' },
      'node_modules/tool': { version: '1.0.0', dev: true },
    },
  }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  const module = new URL('../../../local/advisories/dependencies.ts', import.meta.url)
  const script = `import { dependencyFindings } from ${JSON.stringify(module.href)}
    console.log(JSON.stringify(dependencyFindings(process.cwd())))`
  const env = { ...process.env, npm_config_registry: origin, npm_config_cache: join(folder, 'cache') }
  return runCommand(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env })
}

it('npm audit shows of each package that has an advisory whether it is deployed, and which version to install', async () => {
  const { output } = await findingsFrom(await serving(packages))

  const problem = `high: a page can run code, ${advisory.url}`
  const install = (name: string) => `npm install --save-exact ${name}@1.2.0`
  expect(JSON.parse(output)).toEqual([
    { subject: 'leaky (deployed)', problem, action: `${install('leaky')}; then npm test, and deploy all stacks` },
    { subject: 'tool (a tool, not deployed)', problem, action: `${install('tool')}; then npm test` },
  ])
})

it('a package registry that returns no report is an error and not an all-clear', async () => {
  const { status, output } = await findingsFrom(
    await serving((_request, response) => response.writeHead(405).end('{}')),
  )

  expect(output).toContain('npm audit gave no report')
  expect(status).not.toBe(0)
})

it('a stage without settings is refused before anything is asked', async () => {
  const words = ['local/advisories.ts', '--stage', '../package']

  const { status, output } = await runCommand(process.execPath, words, { cwd: process.cwd() })

  expect(output).toContain('--stage must name a file of settings')
  expect(status).toBe(2)
})
