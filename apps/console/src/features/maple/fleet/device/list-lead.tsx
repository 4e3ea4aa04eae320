import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { providerName } from '../../../../session/provider-name.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { useWorkingProvider } from '../../../../session/working-provider.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { useAfterLoad } from '../../../../ui/page/use-after-load.ts'
import { liveMs, waitingQuery, type DeviceScope } from './device.api.ts'
import { ReviewLink, useAcceptAll } from './use-accept-all.tsx'
import styles from './waiting.module.css'

interface ListLeadProps {
  scope: DeviceScope
  /** The list already shows the devices that are waiting. */
  isReviewed: boolean
}

/**
 * What the list contains; if devices await acceptance, how many, with links to review and accept
 * them.
 */
export function ListLead({ scope, isReviewed }: ListLeadProps) {
  const { t } = useLingui()
  const isLoaded = useAfterLoad()
  const { data } = useQuery({
    ...waitingQuery(scope),
    enabled: isLoaded,
    refetchInterval: liveMs,
  })
  const count = data?.count ?? 0
  const { isBusy, acceptAll, progress } = useAcceptAll({ scope, count })
  return (
    <>
      {count === 0 ? (
        <Contents scope={scope} />
      ) : (
        <section aria-label={t`Waiting to be accepted`} className={styles.line}>
          <strong>
            <Plural value={count} one="# device waits" other="# devices wait" />
          </strong>
          {!isReviewed && <ReviewLink scope={scope} />}
          <button
            type="button"
            className="link"
            aria-disabled={isBusy}
            onClick={() => void acceptAll()}
          >
            <Trans>Accept all</Trans>
          </button>
        </section>
      )}
      {progress}
    </>
  )
}

const Contents = ({ scope }: { scope: DeviceScope }) =>
  scope === 'own' ? <WhoseDevices /> : <Trans>Every device and its secure elements.</Trans>

/** Whose devices these are, for a reader who could work with another provider. */
function WhoseDevices() {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const working = useWorkingProvider(viewer.userId)
  // An administrator without a provider has all devices, and asking would create one for them.
  const { data = [] } = useQuery({ ...providersQuery, enabled: working !== undefined })
  if (!working && viewer.isAdmin) return <Trans>Every device and its secure elements.</Trans>
  const choices = data.filter(({ isDefault, mobyApiKey }) => !isDefault && mobyApiKey)
  const own = choices.find(({ id }) => id === working?.id)
  const name = own && providerName(own)
  if (name === undefined || (choices.length < 2 && !viewer.isAdmin))
    return <Trans>Your devices and their secure elements.</Trans>
  return (
    <Trans>
      Devices of <bdi>{name}</bdi>. Choose another provider on the page of{' '}
      <Link to="/dashboard/maple/products" preload={false}>
        products
      </Link>
      .
    </Trans>
  )
}
