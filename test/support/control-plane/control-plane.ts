import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandResult, runCommand, startCommand } from '../platform/command.ts'

/** A change of one resource by a deployment. */
export interface Change {
  /** The name of its stack. */
  readonly stack: string
  /** Its logical id. */
  readonly id: string
  readonly type: string
  /** Such as `CREATE_COMPLETE`, `UPDATE_COMPLETE`, `DELETE_COMPLETE` or `CREATE_FAILED`. */
  readonly status: string
}

/** An emulated account of AWS, with the CDK's own command line tool. */
export interface ControlPlane {
  /** Where all services of the account answer. */
  readonly address: string
  /** Runs `cdk` with these words, and returns what it printed and every change that it made. */
  cdk(words: readonly string[]): Promise<CommandResult & { readonly changes: readonly Change[] }>
  /** What the gateway serves: all route keys, those with a throttle, and those whose function is gone. */
  served(): Promise<Record<'routes' | 'throttled' | 'broken', string[]> | undefined>
  /** From now on the resources whose logical ids start so cannot be created. */
  fail(starts: readonly string[]): void
  close(): Promise<void>
}

/** The account and the region of every deployment. */
export const environment = 'aws://123456789012/us-east-1'

/** Stands for Docker: it accepts every command, and builds and pushes nothing. */
const noDocker = '#!/bin/sh\ncat > /dev/null\n'

/** Starts a control plane on loopback with the Python programs of a folder. */
export async function startControlPlane(bin: string): Promise<ControlPlane> {
  const root = process.cwd()
  const home = mkdtempSync(join(tmpdir(), 'callplane-control-plane-'))
  const [failing, docker, empty] = [join(home, 'failing'), join(home, 'docker'), join(home, 'empty')]
  for (const file of [failing, empty]) writeFileSync(file, '')
  writeFileSync(docker, noDocker)
  chmodSync(docker, 0o755)
  const server = startCommand(join(bin, 'python'), ['test/support/control-plane/control_plane.py'], {
    cwd: root,
    env: { PATH: process.env['PATH'], FAILING_RESOURCES: failing },
  })
  const [address = ''] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/)
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CDK_HOME: home,
    CDK_DOCKER: docker,
    // The tool gives templates to the service by this address; the emulator takes only one of the service's own form.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: 'https://s3.us-east-1.amazonaws.com',
    AWS_ENDPOINT_URL: address,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_CONFIG_FILE: empty,
    AWS_SHARED_CREDENTIALS_FILE: empty,
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  const changes = async () => (await (await fetch(`${address}/changes`)).json()) as Change[]
  return {
    address,
    async cdk(words) {
      const { length } = await changes()
      const result = await runCommand(process.execPath, ['node_modules/aws-cdk/bin/cdk', ...words], { cwd: root, env })
      return { ...result, changes: (await changes()).slice(length) }
    },
    served: async () => {
      const [stage] = (await (await fetch(`${address}/gateway`)).json()) as Awaited<
        ReturnType<ControlPlane['served']>
      >[]
      return stage
    },
    fail: (starts) => writeFileSync(failing, starts.join('\n')),
    async close() {
      server.interrupt()
      await server.ended()
      rmSync(home, { recursive: true })
    },
  }
}
