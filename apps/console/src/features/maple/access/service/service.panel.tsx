import { useLingui } from '@lingui/react/macro'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { ServiceActions } from './service-actions.tsx'
import { ServiceParts } from './service-parts.tsx'
import { services } from './service.api.ts'
import { EditService } from './service.form.tsx'

/** One service provider: its contents and usage, or its form. */
export function ServicePanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={services.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no service provider with this ID.`}
      renderActions={(service) => <ServiceActions service={service} onGone={panel.onClose} />}
      renderForm={(service, onEnd) => (
        <EditService key={service.id} service={service} onEnd={onEnd} />
      )}
    >
      {(service) => <ServiceParts key={service.id} service={service} />}
    </ItemPanel>
  )
}
