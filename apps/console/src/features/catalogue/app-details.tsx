import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { mainId } from '../../ui/page/route-announcer.tsx'
import { cardLinkId } from './app-card.tsx'
import { AppDescription } from './app-description.tsx'
import styles from './app-details.module.css'
import { AppIcon } from './app-icon.tsx'
import { appQuery, listedApp } from './catalogue-queries.ts'
import { LoadFailure } from './load-failure.tsx'
import { localised } from './localised.ts'
import { ProviderName } from './provider-name.tsx'

interface AppDetailsProps {
  productId: string
  onClose: () => void
}

/** One app on top of the list: Escape, the button or a click outside closes it. */
export function AppDetails({ productId, onClose }: AppDetailsProps) {
  const { t } = useLingui()
  const isClosing = useRef(false)
  const { data, error, refetch } = useQuery(appQuery(productId))
  const known = data ?? listedApp(productId)
  const title = known && localised(known.translations, 'title', currentLocale())

  // A second press, while the list is loading, would go back one page too many.
  const close = () => {
    if (!isClosing.current) onClose()
    isClosing.current = true
  }

  return (
    <Dialog
      size="content"
      title={<bdi lang={title?.lang}>{title?.text ?? (error ? t`Mini-app` : t`Loading`)}</bdi>}
      icon={
        known ? (
          <AppIcon url={known.iconUrl} title={title?.text ?? ''} />
        ) : (
          !error && <span className={`skeleton ${styles.icon}`} />
        )
      }
      subtitle={known && <ProviderName provider={known.provider} />}
      closeLabel={t`Close`}
      focusAfter={() =>
        document.getElementById(cardLinkId(productId)) ?? document.getElementById(mainId)
      }
      onClose={close}
    >
      <div className={styles.content}>
        {data ? (
          <AppDescription app={data} />
        ) : error ? (
          isMissing(error) ? (
            <NotPublished onClose={close} />
          ) : (
            <LoadFailure error={error} onRetry={() => void refetch()} />
          )
        ) : (
          <output className={styles.skeleton} aria-label={t`Loading`}>
            <span className="skeleton" />
            <span className="skeleton" />
            <span className="skeleton" />
          </output>
        )}
      </div>
    </Dialog>
  )
}

/** An ID that no app can have is refused without a request. */
const isMissing = (error: Error) =>
  error instanceof ApiProblem && (error.status === 404 || error.status === 400)

const NotPublished = ({ onClose }: Pick<AppDetailsProps, 'onClose'>) => (
  <div className="notice">
    <p role="alert">
      <Trans>This mini-app is not in the catalogue. It may no longer be published.</Trans>
    </p>
    <button type="button" className="button" onClick={onClose}>
      <Trans>Show all mini-apps</Trans>
    </button>
  </div>
)
