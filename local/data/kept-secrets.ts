import { randomBytes } from 'node:crypto'
import type { Settings } from '../settings/settings.ts'
import { type DataFolder, damaged } from './data-folder.ts'

/** The secrets of a run, made at the first start and kept for the next ones. */
export interface KeptSecrets {
  readonly rootPassword: string
  readonly rootPasswordFrom: 'settings' | 'this start' | 'an earlier start'
  readonly engineCredential: string
  readonly cursorKey: string
  /** 32 bytes: the key with which the embedded key service encrypts. */
  readonly sealingKey: Buffer
}

/** Returns a password of 24 letters and digits: 143 bits. */
export function makePassword(): string {
  return randomBytes(64)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 24)
}

/** Reads or creates the secrets; values from the settings take precedence and are not stored. */
export function readSecrets(folder: DataFolder, settings: Settings): KeptSecrets {
  const root = rootPasswordOf(folder, settings)
  folder.requireWithData('sealing-key')
  const sealing = folder.readOrMake('sealing-key', () => randomBytes(32).toString('base64')).value
  const sealingKey = Buffer.from(sealing, 'base64')
  if (sealingKey.length !== 32 || sealingKey.toString('base64') !== sealing) throw damaged(folder.file('sealing-key'))
  return {
    ...root,
    engineCredential: settings.engineCredential ?? folder.readOrMake('engine-credential', makePassword).value,
    cursorKey: folder.readOrMake('cursor-key', makePassword).value,
    sealingKey,
  }
}

function rootPasswordOf(
  folder: DataFolder,
  { rootPassword }: Settings,
): Pick<KeptSecrets, 'rootPassword' | 'rootPasswordFrom'> {
  if (rootPassword !== undefined) return { rootPassword, rootPasswordFrom: 'settings' }
  const { value, made } = folder.readOrMake('root-password', makePassword)
  return { rootPassword: value, rootPasswordFrom: made ? 'this start' : 'an earlier start' }
}
