import { useLingui } from '@lingui/react/macro'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { DeviceDays } from '../device-days.tsx'

/** The devices in the reader's scope by state and day. */
export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Dialog
      size="content"
      title={t`Devices by state over time`}
      closeLabel={t`Close`}
      onClose={onClose}
    >
      <DeviceDays />
    </Dialog>
  )
}
