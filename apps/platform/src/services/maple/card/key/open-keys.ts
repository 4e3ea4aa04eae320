import { openHsmToken } from '../../../../core/hsm/hsm-token.ts'
import { openVault } from '../../../../core/vault/vault.ts'
import type { AcceptedKeys } from '../../../../core/vault/vault-register.ts'
import type { MapleSettings } from '../../base/settings.ts'
import { hsmProvider } from './hsm-provider.ts'
import type { KeyProviders } from './key-provider.ts'
import { vaultProvider } from './vault-provider.ts'

/** The HSM is connected to on first use. */
export const openKeys = (
  { vaultKeys, hsm }: Pick<MapleSettings, 'vaultKeys' | 'hsm'>,
  accepted?: AcceptedKeys,
): KeyProviders => ({
  vault: vaultProvider(openVault(vaultKeys, accepted)),
  hsm: hsm && hsmProvider(openHsmToken(hsm)),
})
