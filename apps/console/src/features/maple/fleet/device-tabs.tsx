import { useLingui } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'
import { PageTabs } from '../../../ui/page/page-tabs.tsx'

/** The pages of the fleet: its devices, and their groups. */
export function DeviceTabs() {
  const { t } = useLingui()
  const options = { includeSearch: false }
  return (
    <PageTabs
      label={t`Fleet`}
      tabs={[
        <Link key="devices" to="/dashboard/maple/devices" activeOptions={options} prefetch="hover">
          {t`Devices`}
        </Link>,
        <Link key="groups" to="/dashboard/maple/groups" activeOptions={options} prefetch="hover">
          {t`Groups`}
        </Link>,
      ]}
    />
  )
}
