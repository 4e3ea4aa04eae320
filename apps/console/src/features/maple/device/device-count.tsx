import { deviceSearchLimit } from '@grove/contract/maple/device.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { deviceCountQuery } from './device.api.ts'
import type { filterOf } from './device.search.ts'
import styles from './devices.module.css'

interface DeviceCountProps {
  filter: ReturnType<typeof filterOf>
  isTruncated: boolean
}

/** Counts the devices of a filter. It arrives after the rows and moves nothing. */
export function DeviceCount({ filter, isTruncated }: DeviceCountProps) {
  const { i18n } = useLingui()
  const { data: count, isPending, isError } = useQuery(deviceCountQuery(filter))
  if (isTruncated) return <TruncatedSearch />
  if (isPending && !isError) return <span className={`skeleton ${styles.countSkeleton}`} />
  if (!count) return null
  const { value, isCapped } = count
  const most = i18n.number(value)
  return (
    <output className={styles.count}>
      {isCapped ? (
        <Trans>{most}+ devices</Trans>
      ) : (
        <Plural value={value} one="# device" other="# devices" />
      )}
    </output>
  )
}

function TruncatedSearch() {
  const { i18n } = useLingui()
  const limit = i18n.number(deviceSearchLimit)
  return (
    <output className={styles.truncated}>
      <TriangleAlert size={14} aria-hidden />
      <Trans>First {limit} matches only: type more to narrow it down</Trans>
    </output>
  )
}
