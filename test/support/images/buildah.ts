/** A builder of images that needs no daemon and, with a base of this machine, no registry. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CommandResult, runCommand } from '../platform/command.ts'

/** Whether images can be built and run here; writes a line that says what is left out where they cannot. */
export function canBuildImages(leftOut: string): boolean {
  const isRoot = process.getuid?.() === 0
  const can = process.platform === 'linux' && isRoot && spawnSync('buildah', ['--version']).status === 0
  if (!can) console.warn(`skipped: ${leftOut}; it takes buildah, as root on Linux`)
  return can
}

/** The images and containers of a folder of their own. */
export interface Images {
  /** Runs buildah on them. Rejects with its output when it fails. */
  run(...words: string[]): Promise<string>
  /** The same, however it ends. */
  tryToRun(...words: string[]): Promise<CommandResult>
  close(): void
}

/**
 * Makes room for images, with nothing in it. Files are copied instead of mounted, and processes are only confined to
 * their files.
 */
export function openImages(): Images {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-images-'))
  const env = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }
  const place = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
  const tryToRun = (...words: string[]) => runCommand('buildah', [...place, ...words], { cwd: folder, env })
  return {
    tryToRun,
    async run(...words) {
      const { status, output } = await tryToRun(...words)
      if (status !== 0) throw new Error(`buildah ${words.join(' ')} ended with ${status}: ${output}`)
      return output.trim()
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}

/**
 * Makes an image of this Node, the libraries that it loads and the user `node`, as the public image has it, under a
 * name. Returns its digest.
 */
export async function makeNodeBase(images: Images, name: string): Promise<string> {
  const files = mkdtempSync(join(tmpdir(), 'callplane-base-'))
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(files, to)), { recursive: true })
    copyFileSync(realpathSync(from), join(files, to))
  }
  put(process.execPath, '/usr/local/bin/node')
  const { stdout } = spawnSync('ldd', [process.execPath], { encoding: 'utf8' })
  for (const [library] of stdout.matchAll(/\/\S+/g)) put(library, library)
  mkdirSync(join(files, 'etc'))
  mkdirSync(join(files, 'home/node'), { recursive: true })
  writeFileSync(join(files, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(files, 'etc/group'), 'node:x:1000:\n')
  const container = await images.run('from', 'scratch')
  await images.run('copy', '--quiet', container, files, '/')
  await images.run('commit', '--quiet', '--rm', container, name)
  rmSync(files, { recursive: true })
  return images.run('images', '--format', '{{.Digest}}', name)
}
