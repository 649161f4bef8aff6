import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'

/** The platform, running as a user runs it, with state and ports of its own. */
export interface BenchPlatform {
  readonly baseUrl: string
  readonly enginePort: number
  /** From the start of the command to the first 200 of `GET /health`. */
  readonly startMs: number
  password(username: string): string
  /** Resident memory of all its processes together. */
  memoryMb(): number
  stop(): Promise<void>
}

/** A state folder that is gone when the benchmark is. */
export function temporaryState(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'callplane-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Runs `npm start`'s own command and waits until the platform is healthy; fails after two minutes. */
export async function startPlatform(dataDir: string): Promise<BenchPlatform> {
  const port = await freePort()
  const enginePort = await freePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['local/start.mjs'], {
    env: { ...process.env, PORT: String(port), ENGINE_PORT: String(enginePort), DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await untilHealthy(baseUrl, child)
  const startMs = performance.now() - startedAt
  await untilFileExists(join(dataDir, 'demo-accounts.json'))
  return {
    baseUrl,
    enginePort,
    startMs,
    password(username) {
      const file = join(dataDir, 'demo-accounts.json')
      return z.parse(z.record(z.string(), z.string()), JSON.parse(readFileSync(file, 'utf8')))[username] ?? ''
    },
    memoryMb: () => residentMbOf(child.pid ?? 0),
    async stop() {
      const ended = once(child, 'close')
      child.kill('SIGINT')
      await ended
    },
  }
}

async function untilHealthy(baseUrl: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 120_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the platform ended with status ${child.exitCode}`)
    const answer = await fetch(`${baseUrl}/health`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await pause(25)
  }
  throw new Error('the platform was not healthy within two minutes')
}

/** The demo's accounts are written right after the platform is healthy for the first time. */
async function untilFileExists(file: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    try {
      JSON.parse(readFileSync(file, 'utf8'))
      return
    } catch {
      await pause(25)
    }
  }
  throw new Error(`${file} was not written within 30 s`)
}

/** A port that nothing listens on right now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.parse(z.object({ port: z.int() }), server.address())
  server.close()
  await once(server, 'close')
  return port
}

/** The resident memory of a process and all that descend from it. */
export function residentMbOf(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + residentMb(each), 0)
}

/** A process and all that descend from it, from Linux's process table. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid)
  return [pid, ...children.flatMap(familyOf)]
}

function parentOf(pid: number): number {
  return Number(readStatus(pid).match(/^PPid:\s+(\d+)/m)?.[1] ?? -1)
}

function residentMb(pid: number): number {
  return Number(readStatus(pid).match(/^VmRSS:\s+(\d+)/m)?.[1] ?? 0) / 1024
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
