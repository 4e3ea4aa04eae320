import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { ExpiringAccounts } from '../../../../features/maple/access/account/expiring-accounts.tsx'
import { DeviceStateBadge } from '../../../../features/maple/fleet/device/device.labels.tsx'
import { DeviceDays } from '../../../../features/maple/fleet/device-days.tsx'
import { useDeviceWords } from '../../../../features/maple/fleet/device-words.ts'
import { RecentImports } from '../../../../features/maple/fleet/device-import/recent-imports.tsx'
import { aboutQuery } from '../../../../features/maple/overview/overview.api.ts'
import { Overview } from '../../../../features/maple/overview/overview.page.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/')({
  staticData: { title: msg`Maple` },
  // Not awaited: the page shows its frame immediately.
  loader: ({ context: { queryClient, viewer } }) => {
    // The shell tells a developer why the page is closed; a request would be refused.
    if (viewer.isAdmin) void queryClient.prefetchQuery(aboutQuery())
  },
  component: function MapleOverview() {
    const words = { ...useDeviceWords(), StateBadge: DeviceStateBadge }
    return (
      <Overview
        words={words}
        history={<DeviceDays />}
        lists={
          <>
            <ExpiringAccounts />
            <RecentImports />
          </>
        }
      />
    )
  },
})
