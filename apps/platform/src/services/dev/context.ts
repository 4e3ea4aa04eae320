import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import type { Platform } from '../../core/platform.ts'
import { deriveSecret, readSecret } from '../../core/secret.ts'

export interface DevContext extends Pick<Platform, 'config'> {
  /**
   * The secret of the embedded provider's only client, the authentication service of this process.
   */
  clientSecret: string
}

export const openContext = async ({ config }: Platform): Promise<DevContext> => ({
  config,
  clientSecret: deriveSecret(await readSecret(config), embeddedProvider.secretPurpose),
})
