/** Runs after every test: what it logged and stored shows none of its secrets. */
import { afterEach } from 'vitest'
import { shownSecrets } from './watched-secrets.ts'

afterEach(() => {
  const shown = shownSecrets()
  if (shown.length > 0) throw new Error(`a secret of the test was written:\n${shown.slice(0, 5).join('\n')}`)
})
