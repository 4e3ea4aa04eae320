import type { ServiceName } from '@grove/contract/call'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Tabs } from '../../../ui/kit/tabs.tsx'
import { useServiceNames, services } from './services.ts'

interface ServiceTabsProps {
  selected: ServiceName
  onSelect: (service: ServiceName) => void
  children: ReactNode
}

/** Each service keeps its own jobs and events, and may run separately. */
export function ServiceTabs(props: ServiceTabsProps) {
  const { t } = useLingui()
  const names = useServiceNames()
  return (
    <Tabs label={t`Service`} tabs={services.map((id) => ({ id, label: names[id] }))} {...props} />
  )
}
