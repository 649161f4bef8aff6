/** Java programs that tests run beside the platform: what Maven gets for them, and the Java that they run on. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'

/** Some 50 MB come in half a minute; a network that answers nothing holds up no longer than this. */
const fetchLimitMs = 240_000

/** Where artifacts and everything that they run with are, or why they cannot be had here. */
export type FetchedArtifacts = { readonly folder: string } | { readonly missing: string }

/** What to get. */
export interface WantedArtifacts {
  /** Names the folder. */
  readonly name: string
  /** Another version is got anew. */
  readonly version: string
  readonly leastJava: number
  /** `group:artifact:version` of each. */
  readonly artifacts: readonly string[]
  /** The SHA-256 of each artifact: these alone are got then, without those that they depend on. */
  readonly checksums?: Readonly<Record<string, string>>
}

/**
 * Gets artifacts once, from where Maven is told on this machine; it refuses what does not match the checksum beside it.
 * They are kept beside the packages: a build of the platform empties its own folder. Never throws for a lack.
 */
export function fetchArtifacts(wanted: WantedArtifacts): FetchedArtifacts {
  const { name, version, leastJava } = wanted
  const java = javaVersion()
  if (java === undefined || java < leastJava) return { missing: `no Java ${leastJava} or later is installed` }
  const cache = resolve('node_modules', '.cache', name)
  const folder = resolve(cache, version)
  if (existsSync(folder)) return { folder }
  mkdirSync(cache, { recursive: true })
  writeFileSync(resolve(cache, 'pom.xml'), pom(wanted))
  const fetched = resolve(cache, 'fetched')
  rmSync(fetched, { recursive: true, force: true })
  const options = ['-q', '-B', '-C', copyDependencies, '-DincludeScope=runtime', `-DoutputDirectory=${fetched}`]
  const { error, status } = spawnSync('mvn', options, { cwd: cache, timeout: fetchLimitMs, stdio: 'ignore' })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return { missing: 'no Maven is installed' }
  if (status !== 0) return { missing: `Maven cannot get ${name} ${version}` }
  checkFiles(fetched, wanted.checksums ?? {})
  renameSync(fetched, folder)
  return { folder }
}

/** Whether the installed Java can run a source file. */
export function canCompileJava(): boolean {
  const { stdout } = spawnSync('java', ['--list-modules'], { encoding: 'utf8' })
  return /^jdk\.compiler@/m.test(stdout ?? '')
}

function javaVersion(): number | undefined {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const [, major] = /version "(\d+)/.exec(stderr ?? '') ?? []
  return major === undefined ? undefined : Number(major)
}

/** Throws for a file that is not the one that was pinned: that is no lack but something to look into. */
function checkFiles(folder: string, checksums: Readonly<Record<string, string>>): void {
  for (const [coordinates, expected] of Object.entries(checksums)) {
    const [, artifact = '', version = ''] = coordinates.split(':')
    const file = resolve(folder, `${artifact}-${version}.jar`)
    const found = createHash('sha256').update(readFileSync(file)).digest('hex')
    if (found !== expected) throw new Error(`${coordinates} has the SHA-256 ${found} instead of ${expected}`)
  }
}

function pom({ name, artifacts, checksums }: WantedArtifacts): string {
  const alone = '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>'
  const dependencies = artifacts.map((coordinates) => {
    const [group = '', artifact = '', version = ''] = coordinates.split(':')
    return `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
      ${checksums === undefined ? '' : alone}
    </dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>callplane</groupId>
  <artifactId>${name}</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
${dependencies.join('\n')}
  </dependencies>
</project>
`
}
