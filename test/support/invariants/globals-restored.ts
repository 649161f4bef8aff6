/** Set up before every test file: files share a process, so each one has to leave its globals as it found them. */
import { afterAll, beforeAll, expect } from 'vitest'

/** Names that a test may replace and has to restore. */
const replaceable: readonly (readonly [object, readonly string[]])[] = [
  [globalThis, ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date', 'fetch']],
  [performance, ['now']],
  [Math, ['random']],
  [process, ['exit', 'kill']],
]

const read = () =>
  replaceable.flatMap(([owner, names]) => names.map((name) => ({ name, value: Reflect.get(owner, name) as unknown })))

/** The environment without the name that the logger's package adds when it is loaded. */
const environment = () => ({ ...process.env, AWS_SDK_UA_APP_ID: undefined })

/** The globals with which the worker began. A spy can also be restored too late, when its file has ended. */
const kept = Symbol.for('callplane.globals')
const first = (Reflect.get(globalThis, kept) as ReturnType<typeof read> | undefined) ?? read()
Reflect.set(globalThis, kept, first)

const before = { environment: environment(), folder: process.cwd() }

function expectGlobals(by: string): void {
  const changed = read().filter(({ value }, index) => value !== first[index]?.value)

  expect(
    changed.map(({ name }) => name),
    `${by} restored every global`,
  ).toEqual([])
}

beforeAll(() => expectGlobals('the file before'))

afterAll(() => {
  expectGlobals('this file')
  expect(environment(), 'this file restored the environment').toEqual(before.environment)
  expect(process.cwd(), 'this file restored the working folder').toBe(before.folder)
})
