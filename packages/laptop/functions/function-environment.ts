import { AsyncLocalStorage } from 'node:async_hooks'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string>>

const current = new AsyncLocalStorage<Record<string, string>>()

/**
 * Makes `process.env` of this thread the environment of whichever function is running: the one that
 * {@link runWithEnvironment} was called with, all the way through its promises, timers and sockets. Code outside any
 * function sees an empty one. Many functions can so share a thread, and each signs with its own role's credentials.
 */
export function installFunctionEnvironment(): void {
  const nothing = {}
  const variables = (): object => current.getStore() ?? nothing
  process.env = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_target, name) => Reflect.get(variables(), name),
      has: (_target, name) => Reflect.has(variables(), name),
      set: (_target, name, value) => Reflect.set(variables(), name, String(value)),
      deleteProperty: (_target, name) => Reflect.deleteProperty(variables(), name),
      ownKeys: () => Reflect.ownKeys(variables()),
      getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(variables(), name),
    },
  )
}

/** Runs a function's code with its own environment. Changes to it last no longer than `variables` itself. */
export function runWithEnvironment<T>(variables: Record<string, string>, run: () => T): T {
  return current.run(variables, run)
}
