import type { EmailSettingsStore } from '../../../core/email/email-settings-store.ts'
import type { MemoryContext } from './memory-state.ts'

/** Mail settings in memory. */
export function memoryEmailSettingsStore({ state }: Pick<MemoryContext, 'state'>): EmailSettingsStore {
  return {
    async read(domain) {
      return state.emailSettings.get(domain)
    },
    async put(settings) {
      if ((state.emailSettings.get(settings.domain)?.version ?? 0) !== settings.version - 1) return false
      state.emailSettings.set(settings.domain, settings)
      return true
    },
    async remove(domain, version) {
      const known = state.emailSettings.get(domain)
      if (known === undefined) return 'absent'
      if (version !== undefined && known.version !== version) return 'version_changed'
      state.emailSettings.delete(domain)
      return 'removed'
    },
  }
}
