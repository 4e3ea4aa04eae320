import { Trans, useLingui } from '@lingui/react/macro'
import { Archive, History } from 'lucide-react'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { DeviceDetails } from './device-details.tsx'
import { devices } from './device.api.ts'
import { EditDevice } from './form/edit-device.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { useRetire } from './use-retire.tsx'

/** One device: its details, or its form. */
export function DevicePanel(panel: OpenItem) {
  const { t } = useLingui()
  const { retire, refusal } = useRetire(useConfirmed())
  return (
    <ItemPanel
      {...panel}
      query={devices.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no device with this ID.`}
      renderActions={(device) => (
        <>
          <PanelAction
            icon={Archive}
            label={t`Retire…`}
            refusal={refusal(device)}
            onAct={() => void retire(device)}
          />
          <Link
            className="button"
            to="/dashboard/maple/devices/$deviceId"
            params={{ deviceId: device.id }}
            prefetch="none"
          >
            <History size={16} aria-hidden />
            <Trans>Page and history</Trans>
          </Link>
        </>
      )}
      renderForm={(device, onEnd) => <EditDevice key={device.id} device={device} onEnd={onEnd} />}
    >
      {(device) => <DeviceDetails device={device} />}
    </ItemPanel>
  )
}
