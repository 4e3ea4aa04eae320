import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Check, Hourglass } from 'lucide-react'
import { liveMs, waitingQuery } from './device.api.ts'
import { ReviewLink, useAcceptAll } from './use-accept-all.tsx'
import styles from './waiting.module.css'

/** The number of a product's devices that await acceptance, with buttons to review and accept them. */
export function WaitingBanner({ productId }: { productId: string }) {
  const { t } = useLingui()
  const { data } = useQuery({ ...waitingQuery('own', productId), refetchInterval: liveMs })
  const count = data?.count ?? 0
  const { isBusy, acceptAll, progress } = useAcceptAll({ scope: 'own', productId, count })
  return (
    <>
      {count > 0 && (
        <section
          className={`${styles.notice} ${styles.banner}`}
          aria-label={t`Waiting to be accepted`}
        >
          <div>
            <Hourglass size={16} aria-hidden />
            <p>
              <strong>
                <Plural
                  value={count}
                  one="# device is waiting to be accepted."
                  other="# devices are waiting to be accepted."
                />
              </strong>{' '}
              <Trans>Until then nothing that they send is stored.</Trans>
            </p>
          </div>
          <div className="actions">
            <ReviewLink scope="own" productId={productId} className="button" />
            <button
              type="button"
              className="button"
              aria-disabled={isBusy}
              onClick={() => void acceptAll()}
            >
              <Check size={16} aria-hidden />
              <Trans>Accept all</Trans>
            </button>
          </div>
        </section>
      )}
      {progress}
    </>
  )
}
