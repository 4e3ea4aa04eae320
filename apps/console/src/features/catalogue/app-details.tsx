import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { mainId } from '../../ui/page/route-announcer.tsx'
import { cardLinkId } from './app-card.tsx'
import { AppDescription } from './app-description.tsx'
import { iconName } from '../../ui/kit/tooltip.ts'
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

/** One app over the list: Escape, the button and a click beside it close it. */
export function AppDetails({ productId, onClose }: AppDetailsProps) {
  const { t } = useLingui()
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isClosing = useRef(false)
  const { data, error, refetch } = useQuery(appQuery(productId))
  const known = data ?? listedApp(productId)
  const title = known && localised(known.translations, 'title', currentLocale())

  useEffect(() => {
    dialog.current?.showModal()
    return () => {
      // After the page is in use again, which the dialog has made inert.
      setTimeout(() => {
        const card = document.getElementById(cardLinkId(productId))
        const target = card ?? document.getElementById(mainId)
        if (document.activeElement === document.body) target?.focus({ preventScroll: true })
      })
    }
  }, [productId])

  // A second press, while the list is on its way, would go one page further back.
  const close = () => {
    if (!isClosing.current) onClose()
    isClosing.current = true
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- the backdrop; Escape and the button do the same
    <dialog
      ref={dialog}
      className={`dialog ${styles.dialog}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className={styles.content}>
        <header className={styles.header}>
          {known ? (
            <AppIcon url={known.iconUrl} title={title?.text ?? ''} />
          ) : (
            !error && <span className={`skeleton ${styles.icon}`} />
          )}
          <div className={styles.title}>
            <h2 id={titleId} lang={title?.lang}>
              <bdi>{title?.text ?? (error ? t`Mini-app` : t`Loading`)}</bdi>
            </h2>
            {known && (
              <p className="muted">
                <ProviderName provider={known.provider} />
              </p>
            )}
          </div>
          <button
            type="button"
            className={`button quiet icon ${styles.close}`}
            {...iconName(t`Close`)}
            onClick={close}
          >
            <X size={16} aria-hidden />
          </button>
        </header>
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
    </dialog>
  )
}

/** An id that no app can have is refused before it is looked for. */
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
