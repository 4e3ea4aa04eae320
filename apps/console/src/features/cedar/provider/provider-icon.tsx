import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { api } from '../../../session/api.ts'
import { IconUpload } from '../parts/icon-upload.tsx'
import { providers } from './provider.api.ts'

export const ProviderIcon = ({ provider: { id, iconUrl } }: { provider: AdminProvider }) => (
  <IconUpload
    iconUrl={iconUrl}
    upload={(file, transfer) =>
      api.cedar.upload('/api/storage/provider/icon', {
        fields: { providerId: id },
        file,
        ...transfer,
      })
    }
    onSaved={() => void providers.refresh()}
  />
)
