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

/** How many devices the filter has; it comes after the rows and moves nothing when it does. */
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

/** What the service looks at, as `GET /api/maple/device` tells. */
const searchLimit = 2000

function TruncatedSearch() {
  const { i18n } = useLingui()
  const limit = i18n.number(searchLimit)
  return (
    <output className={styles.truncated}>
      <TriangleAlert size={14} aria-hidden />
      <Trans>First {limit} matches only: type more to narrow it down</Trans>
    </output>
  )
}
