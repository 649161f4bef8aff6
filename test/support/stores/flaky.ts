import { DomainError } from '../../../core/errors.ts'

/**
 * A port whose named method fails while `isGone()`, as a store does that cannot be reached. Everything else is the
 * port's own.
 */
export function gone<P extends object>(port: P, method: keyof P & string, isGone: () => boolean): P {
  return new Proxy(port, {
    get(target, name, receiver) {
      if (name === method && isGone()) {
        return () => Promise.reject(new DomainError('store_unavailable', 'the store is gone'))
      }
      return Reflect.get(target, name, receiver)
    },
  })
}
